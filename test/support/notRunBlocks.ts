/** Blocks that `test/e2e/docs.test.ts` does not run, each with the test that does or the reason why none does. */
export type Exempt = {
  readonly page: string;
  readonly language: string;
  /** First line of the block; absent: every block of the page in this language. */
  readonly first?: string;
  /** The test file that runs it, which must name the page. */
  readonly test?: string;
  readonly reason?: string;
};

const TRAINS = 'trains for minutes on days of ticks; test/e2e/train.test.ts runs the same commands on small ones';
const DOCKER = 'needs Docker; test/integration/dockerfiles.test.ts and compose.test.ts read the files';
const PRINTED_JSON = 'part of an answer, cut down; it is parsed here';
const BENCH = 'a benchmark: needs the hardware of its table, and the registries of npm and PyPI';

export const NOT_RUN: readonly Exempt[] = [
  {
    page: 'docs/architecture.md',
    language: 'text',
    reason: 'a drawing; test/unit/docs/architecture.test.ts checks that each file of it exists',
  },
  {
    page: 'docs/accounts.md',
    language: 'bash',
    first: "MONGODB_URI='mongodb://tickmark:…@db.example.com:27017/tickmark?tls=true&authSource=admin' npm start",
    reason: 'needs a MongoDB; test/contracts/accountStore.test.ts runs over one where there is one',
  },
  { page: 'docs/accounts.md', language: 'bash', first: 'cd deploy', reason: DOCKER },
  {
    page: 'docs/models.md',
    language: 'bash',
    first: 'npx tickmark train --add-inputs --base --seeds 3 --data ../shared/data/*.csv.gz --group … --name base-2026-11-22 --out models',
    reason: 'needs the ticks that the base was trained on',
  },
  {
    page: 'docs/models.md',
    language: 'bash',
    first: 'npx tickmark models show mine-1          # the card',
    reason: 'needs a version of one’s own; test/e2e/models.test.ts makes one and does the same',
  },
  {
    page: 'docs/models.md',
    language: 'bash',
    first: 'SHADOW_MODEL=mine-1 npm start',
    reason: 'needs a version of one’s own; test/http/shadow.test.ts',
  },
  { page: 'CONTRIBUTING.md', language: 'bash', first: 'npm ci', reason: 'is the suite itself' },
  { page: 'CONTRIBUTING.md', language: 'text', reason: 'a commit message' },
  { page: 'CONTRIBUTING.md', language: 'bash', first: 'npm run chaos -- --seed 7', reason: 'takes three minutes; .ci/run runs one' },
  { page: 'clients/python/README.md', language: 'python', test: 'test/e2e/clientPages.test.ts' },
  { page: 'docs/clients.md', language: 'ts', test: 'test/e2e/clientPages.test.ts' },
  {
    page: 'docs/quickstart.md',
    language: 'bash',
    first: 'curl -O https://data.binance.vision/data/spot/daily/aggTrades/BTCUSDT/BTCUSDT-aggTrades-2025-01-02.zip',
    reason: 'a download; the test puts a generated file of that form there',
  },
  { page: 'docs/api.md', language: 'json', first: '{', reason: PRINTED_JSON },
  { page: 'docs/errors.md', language: 'json', first: '{', reason: PRINTED_JSON },
  {
    page: 'docs/mcp.md',
    language: 'json',
    first: '{',
    reason: 'the configuration of another program; test/e2e/mcp.test.ts starts the command that it names',
  },
  { page: 'docs/rules.md', language: 'json', first: '{', reason: 'one rule out of rules/base-2.json; it is parsed here' },
  {
    page: 'docs/rules.md',
    language: 'bash',
    first: 'RULES_FILE=rules/mine-1.json npm start',
    reason: 'the reader’s own rule set; it starts a service that goes on',
  },
  {
    page: 'docs/rules.md',
    language: 'bash',
    first: 'RULES_FILE=docs/examples/rules-example.json npx tickmark predict commodity-xauusd-oanda.csv.gz --horizon 60s --explain',
    test: 'test/e2e/rulesExample.test.ts',
  },
  {
    page: 'docs/evaluation.md',
    language: 'bash',
    first: 'npx tickmark train --base --data commodity* crypto* derivatives* equity* --name base-no-eurusd --device native --force \\',
    reason: 'hours on real ticks',
  },
  { page: 'docs/training.md', language: 'bash', reason: TRAINS },
  { page: 'docs/training.md', language: 'csv', reason: 'two headers; test/unit/ticks reads both' },
  { page: 'docs/training.md', language: 'yaml', reason: TRAINS },
  { page: 'docs/presets/scalp.md', language: 'bash', reason: TRAINS },
  { page: 'docs/presets/intraday.md', language: 'bash', reason: TRAINS },
  { page: 'docs/presets/swing.md', language: 'bash', reason: TRAINS },
  { page: 'docs/console.md', language: 'bash', first: 'npm run test:browser', reason: 'needs Chromium, and is a suite of its own' },
  { page: 'docs/docker.md', language: 'bash', reason: DOCKER },
  { page: 'docs/docker.md', language: 'yaml', reason: DOCKER },
  { page: 'docs/native.md', language: 'sh', reason: 'downloads 0.3 GB and more; .ci/run does it' },
  { page: 'docs/files.md', language: 'python', reason: 'a line of pandas' },
  { page: 'docs/files.md', language: 'text', test: 'test/unit/docs/files.test.ts' },
  { page: 'docs/benchmarks/README.md', language: 'sh', reason: BENCH },
  { page: 'docs/benchmarks/serving.md', language: 'sh', reason: BENCH },
  { page: 'docs/adr/README.md', language: 'markdown', reason: 'a template' },
];

export const covers = (exempt: Exempt, { page, language, first }: { page: string; language: string; first: string }): boolean =>
  exempt.page === page && exempt.language === language && (exempt.first === undefined || exempt.first === first);
