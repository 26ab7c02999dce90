/** Blocks that `test/e2e/docs.test.ts` does not run, each with the test that runs it or the reason why none does. */
export type Exempt = {
  readonly page: string;
  readonly language: string;
  /** First line of the block; absent for all blocks of the page in this language. */
  readonly first?: string;
  /** The test file that runs it, which must name the page. */
  readonly test?: string;
  readonly reason?: string;
};

const TRAINS = 'trains for minutes on days of ticks; test/e2e/train.test.ts runs the same commands on small ones';
const DOCKER = 'needs Docker; test/integration/dockerfiles.test.ts and compose.test.ts read the files';
const SYSTEMD = 'changes the machine as root; test/integration/deploy/systemd.test.ts checks the unit and what the page names';
const CLUSTER = 'needs a cluster; test/integration/deploy/chart.test.ts and kubectl.test.ts check the commands without one';
const PRINTED_JSON = 'a shortened part of an answer; it is parsed here';
const BENCH = 'a benchmark: needs the hardware of its table, and the registries of npm and PyPI';

export const NOT_RUN: readonly Exempt[] = [
  { page: 'docs/benchmarks/search.md', language: 'sh', reason: BENCH },
  { page: 'docs/benchmarks/thresholds.md', language: 'sh', reason: BENCH },
  { page: 'docs/benchmarks/own-market.md', language: 'sh', reason: BENCH },
  { page: 'docs/benchmarks/models.md', language: 'sh', reason: BENCH },
  { page: 'docs/benchmarks/ranges.md', language: 'sh', reason: BENCH },
  { page: 'docs/benchmarks/touch.md', language: 'sh', reason: BENCH },
  { page: 'docs/benchmarks/range-forms.md', language: 'sh', reason: BENCH },
  { page: 'docs/benchmarks/candles.md', language: 'sh', reason: BENCH },
  { page: 'docs/benchmarks/candles.md', language: 'json', reason: 'the form of the file that the bench reads' },
  { page: 'docs/benchmarks/mutations.md', language: 'sh', reason: BENCH },
  {
    page: 'docs/reference/engine.md',
    language: 'ts',
    reason: 'declarations from the types of the package; test/unit/docs/reference.test.ts compares them',
  },
  {
    page: 'docs/explanation/architecture.md',
    language: 'text',
    reason: 'a drawing; test/unit/docs/architecture.test.ts checks that each file of it exists',
  },
  {
    page: 'docs/how-to/accounts.md',
    language: 'bash',
    first: "MONGODB_URI='mongodb://tickmark:…@db.example.com:27017/tickmark?tls=true&authSource=admin' npm start",
    reason: 'needs a MongoDB; test/contracts/accountStore.test.ts uses one if available',
  },
  { page: 'docs/how-to/accounts.md', language: 'bash', first: 'cd deploy', reason: DOCKER },
  { page: 'docs/how-to/alerts.md', language: 'python', test: 'test/e2e/examples.test.ts' },
  {
    page: 'docs/how-to/live.md',
    language: 'json',
    reason: 'messages of a WebSocket; test/http/live.test.ts sends such messages',
  },
  {
    page: 'docs/how-to/market.md',
    language: 'bash',
    reason: 'needs weeks of your ticks; test/integration/cli/learn.test.ts runs the command',
  },
  {
    page: 'docs/reference/live-messages.md',
    language: 'json',
    reason: 'generated examples; test/contracts/asyncApi.test.ts checks them',
  },
  {
    page: 'docs/how-to/models.md',
    language: 'bash',
    first: 'npx tickmark models show mine-1          # the card',
    reason: 'needs your own version; test/e2e/models.test.ts makes one and runs the same commands',
  },
  {
    page: 'docs/how-to/models.md',
    language: 'bash',
    first: 'npx tickmark models push /srv/trained/mine-1     # checks it and copies it to MODELS_DIR',
    reason: 'needs your own version; test/e2e/models.test.ts runs the same commands',
  },
  {
    page: 'docs/reference/observability.md',
    language: 'bash',
    first: 'OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318 OTEL_TRACES_SAMPLER_ARG=0.05 npm start',
    reason: 'starts a service that keeps running; test/e2e/traces.test.ts starts one with a collector',
  },
  {
    page: 'docs/how-to/markets.md',
    language: 'sh',
    first: 'export TICKMARK_KEY=tkm_live_…',
    reason: 'connects to an exchange; test/integration/cli/markets.test.ts runs the same commands',
  },
  {
    page: 'docs/how-to/markets.md',
    language: 'text',
    reason: 'lines of a market that is fed; test/integration/cli/markets.test.ts reads such lines',
  },
  {
    page: 'docs/how-to/own-model.md',
    language: 'json',
    reason: 'lines of a protocol; test/unit/training/models/askSeries.test.ts checks each line that is sent',
  },
  { page: 'docs/how-to/kubernetes.md', language: 'bash', reason: CLUSTER },
  {
    page: 'docs/how-to/upgrade.md',
    language: 'bash',
    first: 'helm upgrade tickmark ./deploy/helm/tickmark --namespace tickmark --reset-then-reuse-values --set image.tag=0.2.0',
    reason: CLUSTER,
  },
  { page: 'docs/how-to/upgrade.md', language: 'bash', first: 'helm rollback tickmark --namespace tickmark', reason: CLUSTER },
  { page: 'docs/how-to/kubernetes.md', language: 'yaml', test: 'test/integration/deploy/chart.test.ts' },
  {
    page: 'docs/how-to/models.md',
    language: 'bash',
    first: 'SHADOW_MODEL=mine-1 npm start',
    reason: 'needs your own version; test/http/shadow.test.ts covers it',
  },
  { page: 'CONTRIBUTING.md', language: 'bash', first: 'npm ci', reason: 'runs this test suite' },
  { page: 'CONTRIBUTING.md', language: 'text', reason: 'a commit message' },
  { page: 'CONTRIBUTING.md', language: 'bash', first: 'npm run chaos -- --seed 7', reason: 'takes three minutes; .ci/run runs one' },
  { page: 'clients/python/README.md', language: 'python', test: 'test/e2e/clientPages.test.ts' },
  { page: 'docs/tutorial/live-desk.md', language: 'js', test: 'test/e2e/clientPages.test.ts' },
  { page: 'docs/tutorial/live-desk.md', language: 'python', test: 'test/e2e/clientPages.test.ts' },
  {
    page: 'docs/tutorial/live-desk.md',
    language: 'bash',
    first: 'npm run pack:client',
    reason: 'installs into the clone; npm run test:pack packs the client and installs it in a folder of its own',
  },
  { page: 'docs/tutorial/live-desk.md', language: 'bash', first: 'export KEY', test: 'test/e2e/clientPages.test.ts' },
  {
    page: 'docs/tutorial/live-desk.md',
    language: 'bash',
    first: 'head -n 3000 feed.ndjson | python3 bot.py',
    test: 'test/e2e/clientPages.test.ts',
  },
  { page: 'docs/how-to/bars.md', language: 'python', test: 'test/e2e/clientPages.test.ts' },
  { page: 'docs/how-to/bars.md', language: 'ts', test: 'test/e2e/clientPages.test.ts' },
  { page: 'docs/how-to/clients.md', language: 'ts', test: 'test/e2e/clientPages.test.ts' },
  { page: 'docs/how-to/python-engine.md', language: 'python', test: 'clients/python/tests/test_pages.py' },
  {
    page: 'docs/how-to/python-engine.md',
    language: 'bash',
    reason: 'installs from PyPI; clients/python/tests/test_package.py installs the wheel into a folder of its own',
  },
  ...['many-series', 'dask', 'ray', 'spark'].map((name) => ({
    page: `docs/how-to/${name}.md`,
    language: 'python',
    test: 'clients/python/tests/test_pages.py',
  })),
  { page: 'docs/benchmarks/python.md', language: 'sh', reason: BENCH },
  { page: 'docs/how-to/engine.md', language: 'js', test: 'test/integration/enginePackage.test.ts' },
  {
    page: 'docs/tutorial/quickstart.md',
    language: 'bash',
    first: 'curl -O https://data.binance.vision/data/spot/daily/aggTrades/BTCUSDT/BTCUSDT-aggTrades-2025-01-02.zip',
    reason: 'a download; the test creates a file of that format instead',
  },
  { page: 'docs/how-to/api.md', language: 'json', first: '{', reason: PRINTED_JSON },
  { page: 'docs/reference/errors.md', language: 'json', first: '{', reason: PRINTED_JSON },
  {
    page: 'docs/how-to/mcp.md',
    language: 'json',
    first: '{',
    reason: 'the configuration of another program; test/e2e/mcp.test.ts starts the command that it names',
  },
  { page: 'docs/reference/rules.md', language: 'json', first: '{', reason: 'one rule out of rules/base-2.json; it is parsed here' },
  {
    page: 'docs/reference/rules.md',
    language: 'bash',
    first: 'RULES_FILE=rules/mine-1.json npm start',
    reason: 'the reader’s own rule set; it starts a service that keeps running',
  },
  {
    page: 'docs/reference/rules.md',
    language: 'bash',
    first:
      'RULES_FILE=docs/examples/rules-example.json npx tickmark predict commodity-xauusd-oanda.csv.gz --horizon 60s --ticks 500 --explain --no-memory',
    test: 'test/e2e/rulesExample.test.ts',
  },
  {
    page: 'docs/explanation/evaluation.md',
    language: 'bash',
    first: 'npx tickmark train --base --data commodity* crypto* derivatives* equity* --name base-no-eurusd --device native --force \\',
    reason: 'hours on real ticks',
  },
  { page: 'docs/tutorial/training.md', language: 'bash', reason: TRAINS },
  { page: 'docs/tutorial/training.md', language: 'csv', reason: 'two headers; test/unit/ticks reads both' },
  { page: 'docs/tutorial/training.md', language: 'yaml', reason: TRAINS },
  { page: 'docs/presets/scalp.md', language: 'bash', reason: TRAINS },
  { page: 'docs/presets/intraday.md', language: 'bash', reason: TRAINS },
  { page: 'docs/presets/swing.md', language: 'bash', reason: TRAINS },
  { page: 'docs/how-to/console.md', language: 'bash', first: 'npm run test:browser', reason: 'needs Chromium, and is a separate suite' },
  { page: 'docs/how-to/systemd.md', language: 'bash', reason: SYSTEMD },
  { page: 'docs/how-to/systemd.md', language: 'ini', reason: SYSTEMD },
  { page: 'docs/how-to/systemd.md', language: 'text', reason: SYSTEMD },
  { page: 'docs/how-to/docker.md', language: 'bash', reason: DOCKER },
  { page: 'docs/how-to/docker.md', language: 'yaml', reason: DOCKER },
  { page: 'docs/how-to/native.md', language: 'sh', reason: 'downloads 0.3 GB and more; .ci/run does it' },
  { page: 'docs/reference/files.md', language: 'python', reason: 'a line of pandas' },
  { page: 'docs/reference/files.md', language: 'text', test: 'test/unit/docs/files.test.ts' },
  { page: 'docs/benchmarks/cuda.md', language: 'sh', reason: BENCH },
  { page: 'docs/benchmarks/README.md', language: 'sh', reason: BENCH },
  { page: 'docs/benchmarks/serving.md', language: 'sh', reason: BENCH },
  { page: 'docs/benchmarks/topology.md', language: 'sh', reason: BENCH },
  { page: 'docs/adr/README.md', language: 'markdown', reason: 'a template' },
  { page: 'docs/adr/0097-one-table-of-exchanges.md', language: 'text', reason: 'the files of a change that was taken back' },
  { page: 'docs/adr/0104-one-table-of-forecast-options.md', language: 'text', reason: 'the files of a change that was taken back' },
];

export const covers = (exempt: Exempt, { page, language, first }: { page: string; language: string; first: string }): boolean =>
  exempt.page === page && exempt.language === language && (exempt.first === undefined || exempt.first === first);
