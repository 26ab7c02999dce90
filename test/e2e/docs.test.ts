import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { gzipSync } from 'node:zlib';
import { zipSync } from 'fflate';
import { expect } from 'chai';
import { nextSteps } from '../../src/cli/serve/nextSteps.ts';
import { syntheticTicks } from '../../src/ticks/syntheticTicks.ts';
import { blocksOf, PAGES, type PageBlock } from '../support/pageBlocks.ts';
import { builtFolder, ROOT, serveTickmark, type ServedProcess } from '../support/tickmarkProcess.ts';
import { TICK_FORMATS } from '../support/tickFormats.ts';
import { writeTicks } from '../support/writeTicks.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

/**
 * Blocks that are not run here, by the test that runs them, which must name the page, or the reason why none does. Each is `page language`: all
 * blocks of the page in that language, or those whose first line begins with what follows ` | `. A page may be a folder of pages.
 */
const NOT_RUN: Readonly<Record<string, readonly string[]>> = {
  'clients/python/tests/test_pages.py': ['python-engine', 'many-series', 'dask', 'ray', 'spark'].map(
    (name) => `docs/how-to/${name}.md python`,
  ),
  'test/e2e/clientPages.test.ts': [
    ...['clients/python/README.md python', 'docs/how-to/bars.md python', 'docs/how-to/bars.md ts', 'docs/how-to/clients.md ts'],
    ...['js', 'python', 'bash | export KEY', 'bash | head -n 3000 feed.ndjson | python3 bot.py'].map(
      (block) => `docs/tutorial/live-desk.md ${block}`,
    ),
  ],
  'test/e2e/examples.test.ts': ['docs/how-to/alerts.md python'],
  'test/e2e/rulesExample.test.ts': ['docs/reference/rules.md bash | RULES_FILE=docs/examples/rules-example.json npx tickmark predict '],
  'test/integration/deploy/chart.test.ts': ['docs/how-to/kubernetes.md yaml'],
  'test/integration/enginePackage.test.ts': ['docs/how-to/engine.md js'],
  'test/unit/docs/files.test.ts': ['docs/reference/files.md text'],

  'a benchmark: needs the hardware of its table, and the registries of npm and PyPI': ['docs/benchmarks/ sh'],
  'the form of the file that the bench reads': ['docs/benchmarks/candles.md json'],
  'declarations from the types of the package; test/unit/docs/reference.test.ts compares them': ['docs/reference/engine.md ts'],
  'a drawing; test/unit/docs/architecture.test.ts checks that each file of it exists': ['docs/explanation/architecture.md text'],
  'needs a MongoDB; test/contracts/accountStore.test.ts uses one if available': ['docs/how-to/accounts.md bash | MONGODB_URI='],
  'needs Docker; test/integration/dockerfiles.test.ts and compose.test.ts read the files': [
    ...['docs/how-to/accounts.md bash | cd deploy', 'docs/how-to/docker.md bash', 'docs/how-to/docker.md yaml'],
  ],
  'messages of a WebSocket; test/http/live.test.ts sends such messages': ['docs/how-to/live.md json'],
  'needs weeks of your ticks; test/integration/cli/learn.test.ts runs the command': ['docs/how-to/market.md bash'],
  'generated examples; test/contracts/asyncApi.test.ts checks them': ['docs/reference/live-messages.md json'],
  'needs your own version; test/e2e/models.test.ts makes one and runs the same commands': [
    ...['show mine-1 ', 'push /srv/trained/mine-1 '].map((args) => `docs/how-to/models.md bash | npx tickmark models ${args}`),
  ],
  'needs your own version and later ticks; test/e2e/ownModel.test.ts compares models': [
    'docs/how-to/models.md bash | npx tickmark evaluate june.csv.gz --model tickmark --model mine-1',
  ],
  'starts a service that keeps running; test/e2e/traces.test.ts starts one with a collector': [
    'docs/reference/observability.md bash | OTEL_EXPORTER_OTLP_ENDPOINT=',
  ],
  'connects to an exchange; test/integration/cli/markets.test.ts runs the same commands': [
    'docs/how-to/markets.md sh | export TICKMARK_KEY=',
  ],
  'lines of a market that is fed; test/integration/cli/markets.test.ts reads such lines': ['docs/how-to/markets.md text'],
  'lines of a protocol; test/unit/training/models/askSeries.test.ts checks each line that is sent': ['docs/how-to/own-model.md json'],
  'needs a cluster; test/integration/deploy/chart.test.ts and kubectl.test.ts check the commands without one': [
    ...[
      'docs/how-to/kubernetes.md bash',
      'docs/how-to/upgrade.md bash | helm upgrade tickmark ',
      'docs/how-to/upgrade.md bash | helm rollback ',
    ],
  ],
  'runs this test suite': ['CONTRIBUTING.md bash | npm ci'],
  'a commit message': ['CONTRIBUTING.md text'],
  'takes three minutes; .ci/run runs one': ['CONTRIBUTING.md bash | npm run chaos '],
  'installs into the clone; npm run test:pack packs the client and installs it in a folder of its own': [
    'docs/tutorial/live-desk.md bash | npm run pack:client',
  ],
  'installs from PyPI; clients/python/tests/test_package.py installs the wheel into a folder of its own': [
    'docs/how-to/python-engine.md bash',
  ],
  'a download; the test creates a file of that format instead': ['docs/tutorial/quickstart.md bash | curl -O https://data.binance.vision/'],
  'a shortened part of an answer; it is parsed here': ['docs/how-to/api.md json', 'docs/reference/errors.md json'],
  'the configuration of another program; test/e2e/mcp.test.ts starts the command that it names': ['docs/how-to/mcp.md json'],
  'one rule out of rules/base-2.json; it is parsed here': ['docs/reference/rules.md json'],
  'the reader’s own rule set; it starts a service that keeps running': [
    'docs/reference/rules.md bash | RULES_FILE=rules/mine-1.json npm start',
  ],
  'hours on real ticks': ['docs/explanation/evaluation.md bash | npx tickmark train --base '],
  'trains for minutes on days of ticks; test/e2e/train.test.ts runs the same commands on small ones': [
    ...['docs/tutorial/training.md bash', 'docs/tutorial/training.md yaml', 'docs/presets/ bash'],
  ],
  'two headers; test/unit/ticks reads both': ['docs/tutorial/training.md csv'],
  'needs Chromium, and is a separate suite': ['docs/how-to/console.md bash | npm run test:browser'],
  'changes the machine as root; test/integration/deploy/systemd.test.ts checks the unit and what the page names': [
    ...['bash', 'ini', 'text'].map((language) => `docs/how-to/systemd.md ${language}`),
  ],
  'downloads 0.3 GB and more; .ci/run does it': ['docs/how-to/native.md sh'],
  'a line of pandas': ['docs/reference/files.md python'],
  'a template': ['docs/adr/README.md markdown'],
  'the files of a change that was taken back': ['docs/adr/0097', 'docs/adr/0104'].map((page) => `${page} text`),
};

function covers(entry: string, { page, language, first }: PageBlock): boolean {
  const [where = '', ...begin] = entry.split(' | ');
  return page.startsWith(where.split(' ')[0]) && where.endsWith(` ${language}`) && first.startsWith(begin.join(' | '));
}

const isShell = ({ language }: PageBlock): boolean => language === 'bash' || language === 'sh';
const all = PAGES.flatMap(blocksOf);
const left = all.filter(
  (block) =>
    !Object.values(NOT_RUN)
      .flat()
      .some((entry) => covers(entry, block)),
);

/** Output that the commands of a page must have, in addition to the answers that are on the page. */
const MUST_PRINT: Readonly<Record<string, readonly string[]>> = {
  'README.md': ['"api_key":', '"2024-01-02 00:03:10.641":{"trend_identified":1}'],
  'docs/tutorial/quickstart.md': ['Binance', 'Good:', 'Logit:', 'Base rate', '"api_key":', '"counterfactual":', 'Written: btcusdt.csv.gz'],
  'docs/tutorial/live-desk.md': ['Brier score', '"type":"score"', '"series":"BTCUSDT"', 'docstutoriallivedeskmd@example.com, 20'],
  'docs/reference/files.md': ['Dukascopy CSV', 'Written: FILE.clean.csv', 'Unusually large move by'],
  'docs/explanation/evaluation.md': ['Report: report.html', 'Brier'],
  'docs/how-to/own-model.md': [
    '| python3 my_model.py | ',
    '| the base rate so far | ',
    'Report: models.html',
    'to test in origins.csv',
    '| mine.csv | ',
  ],
};

/** The files that the pages name, with generated ticks. */
function writeFiles(folder: string): void {
  const { timesUs, prices } = syntheticTicks({ seed: 7, count: 4000 });
  const quotes = [...prices].map((price, i) => ({
    us: Math.round((timesUs[i] ?? 0) / 1000) * 1000,
    bid: price - 0.005,
    ask: price + 0.005,
  }));
  const spelt = (name: string): Uint8Array => TICK_FORMATS.find((spelling) => spelling.name === name)!.write(quotes);
  writeTicks(path.join(folder, 'ticks.csv'), { timesUs, prices });
  mkdirSync(path.join(folder, 'ticks'));
  const packed = gzipSync(readFileSync(path.join(folder, 'ticks.csv')));
  writeFileSync(path.join(folder, 'ticks.csv.gz'), packed);
  writeFileSync(path.join(folder, 'ticks', 'a.csv.gz'), packed);
  writeFileSync(path.join(folder, 'FILE'), spelt('Dukascopy ticks'));
  const trades = spelt('Binance aggTrades, microseconds');
  writeFileSync(path.join(folder, 'BTCUSDT-aggTrades-2025-01-02.zip'), zipSync({ 'BTCUSDT-aggTrades-2025-01-02.csv': trades }));
  for (const shipped of ['rules', 'examples']) symlinkSync(path.join(ROOT, shipped), path.join(folder, shipped));
}

/** Lines that the harness has already executed. */
const DONE = /^(npm ci|npm start)$/;
const NEXT = '=== next block';

type PageRun = {
  /** URL of the running service; replaces http://127.0.0.1:8080. */
  readonly url: string;
  /** Replaces you@example.com. */
  readonly email: string;
  readonly folder: string;
  readonly dataDir: string;
};

/**
 * Runs the shell blocks of a page sequentially in one shell, like a reader. Returns the output of each. Throws with standard error if a
 * command fails.
 */
async function runBlocks(blocks: readonly Pick<PageBlock, 'code'>[], { url, email, folder, dataDir }: PageRun): Promise<string[]> {
  const script = blocks.map(({ code }) =>
    code
      .split('\n')
      .filter((line) => !DONE.test(line))
      .join('\n'),
  );
  const here = script
    .join(`\necho '${NEXT}'\n`)
    .replaceAll('http://127.0.0.1:8080', url)
    .replaceAll('you@example.com', email)
    .replaceAll('npx tickmark', `'${process.execPath}' '${path.join(builtFolder(), 'src', 'main.js')}'`);
  // The commands of a page must not use the MongoDB of the tests.
  const env = { ...process.env, MONGODB_URI: '', DATA_DIR: dataDir, FORECAST_DEADLINE_MS: '60000' };
  return new Promise((resolve, reject) => {
    execFile('bash', ['-euo', 'pipefail', '-c', here], { cwd: folder, env, maxBuffer: 16 * 1024 * 1024 }, (error, stdout, stderr) => {
      const printed = stdout.split(`${NEXT}\n`);
      if (error === null) resolve(printed);
      else
        reject(
          new Error(`Block ${printed.length} ended with ${error.code}:\n${blocks[printed.length - 1]?.code}${stderr}${printed.at(-1)}`),
        );
    });
  });
}

/** Compares the output of a block with its page: JSON except for values that differ between runs, text including all numbers. */
function expectPrinted({ code, prints }: PageBlock, printed: string): void {
  if (prints === undefined) return;
  if (prints.language === 'json') {
    expect(shapeOf(JSON.parse(printed)), code).to.deep.equal(shapeOf(JSON.parse(prints.text)));
    return;
  }
  expect(masked(printed), code).to.equal(masked(prints.text));
  const shown = numbersOf(prints.text);
  // Backends may round the last digits differently.
  numbersOf(printed).forEach((value, i) => expect(value, code).to.be.closeTo(shown[i] ?? NaN, 1e-3 * Math.max(1, Math.abs(value))));
}

const NUMBER = /\d+(?:\.\d+)?/g;
const masked = (text: string): string => text.trimEnd().replace(NUMBER, '#');
const numbersOf = (text: string): number[] => [...text.matchAll(NUMBER)].map(([digits]) => Number(digits));

/** Ids, keys, times and the e-mail: only their types are compared. */
const VOLATILE = /^(id|api_key|prefix|email|created_at|revoked_at|works_until|requestId)$/;

function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, VOLATILE.test(name) ? typeof member : shapeOf(member)]));
  return value;
}

describe('the code blocks of the pages', function () {
  this.timeout(300_000);

  it('run here, or are listed with the test that runs them or the reason', () => {
    expect(left.filter((block) => !isShell(block)).map(({ page, language, first }) => ({ page, language, first }))).to.deep.equal([]);
  });

  it('have no outdated entry in the list, and none that no test covers', () => {
    for (const [why, entries] of Object.entries(NOT_RUN)) {
      for (const named of why.match(/(?:test|clients)\/[\w/]+\.(?:test\.ts|py)/g) ?? []) {
        const text = readFileSync(path.join(ROOT, named), 'utf8');
        if (why === named) for (const entry of entries) expect(text, named).to.include(path.basename(entry.split(' ')[0]));
      }
      for (const entry of entries)
        expect(
          all.some((block) => covers(entry, block)),
          entry,
        ).to.equal(true);
    }
  });

  it('all have a language, so that none is overlooked', () => {
    for (const page of PAGES) {
      const fences = readFileSync(path.join(ROOT, page), 'utf8').match(/^\s*(```|~~~)/gm) ?? [];
      const seen = all.filter((block) => block.page === page).reduce((sum, { prints }) => sum + (prints === undefined ? 1 : 2), 0);
      expect(fences.length, page).to.equal(2 * seen);
    }
  });

  it('contain valid JSON if they say so', () => {
    for (const { page, language, code } of all) if (language === 'json') expect(() => JSON.parse(code) as unknown, page).to.not.throw();
  });

  describe('work by copy and paste', () => {
    let folder: string;
    let service: ServedProcess | undefined;
    before(async function () {
      if (spawnSync('curl', ['--version']).status !== 0) {
        process.stdout.write('    skipped: curl is not installed\n');
        this.skip();
      }
      folder = temporaryFolder();
      writeFiles(folder);
      service = await serveTickmark(path.join(folder, 'data'));
    });
    after(async () => {
      service?.child.kill('SIGINT');
      await service?.ended;
    });

    for (const page of new Set(left.filter(isShell).map((block) => block.page)))
      it(page, async () => {
        const blocks = left.filter((block) => block.page === page && isShell(block));
        const email = `${page.toLowerCase().replaceAll(/[^a-z]/g, '')}@example.com`;
        const printed = await runBlocks(blocks, { url: service!.url, email, folder, dataDir: path.join(folder, 'data') });
        expect(printed).to.have.length(blocks.length);
        blocks.forEach((block, i) => {
          expectPrinted(block, printed[i] ?? '');
          if (block.prints === undefined) expect(printed[i], block.code).to.not.include('requestId');
        });
        for (const text of MUST_PRINT[page] ?? []) expect(printed.join(''), page).to.include(text);
      });

    it('as serve prints them', async () => {
      const shown = nextSteps('http://127.0.0.1:8080', '0', { isSignUpOpen: true }).split('\n');
      const code = shown.filter((line) => line.startsWith('  ')).join('\n');
      const run = { url: service!.url, email: 'printed@example.com', folder, dataDir: path.join(folder, 'data') };
      const [printed = ''] = await runBlocks([{ code }], run);
      expect(printed).to.include('"api_key":').and.not.include('requestId');
      expect(printed.match(/"trend_identified":/g), printed.slice(0, 500)).to.have.length.above(900);
    });
  });
});
