import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { gzipSync } from 'node:zlib';
import { zipSync } from 'fflate';
import { expect } from 'chai';
import { nextSteps } from '../../src/cli/serve/nextSteps.ts';
import { syntheticTicks } from '../../src/ticks/syntheticTicks.ts';
import { covers, NOT_RUN } from '../support/notRunBlocks.ts';
import { blocksOf, PAGES, type PageBlock } from '../support/pageBlocks.ts';
import { expectPrinted, runBlocks } from '../support/runPage.ts';
import { ROOT, serveTickmark, type ServedProcess } from '../support/tickmarkProcess.ts';
import { TICK_FORMATS } from '../support/tickFormats.ts';
import { writeTicks } from '../support/writeTicks.ts';

const isShell = ({ language }: PageBlock): boolean => language === 'bash' || language === 'sh';
const all = PAGES.flatMap(blocksOf);
const left = all.filter((block) => !NOT_RUN.some((exempt) => covers(exempt, block)));

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

describe('the code blocks of the pages', function () {
  this.timeout(300_000);

  it('run here, or are listed with the test that runs them or the reason', () => {
    expect(left.filter((block) => !isShell(block)).map(({ page, language, first }) => ({ page, language, first }))).to.deep.equal([]);
  });

  it('have no outdated entry in the list, and none that no test covers', () => {
    for (const exempt of NOT_RUN) {
      expect(
        all.some((block) => covers(exempt, block)),
        `${exempt.page}: ${exempt.first ?? exempt.language}`,
      ).to.equal(true);
      expect((exempt.test === undefined) !== (exempt.reason === undefined), exempt.page).to.equal(true);
      for (const named of [exempt.test ?? '', ...(exempt.reason?.match(/test\/[\w/]+\.test\.ts/g) ?? [])].filter(Boolean))
        expect(existsSync(path.join(ROOT, named)), named).to.equal(true);
      if (exempt.test !== undefined)
        expect(readFileSync(path.join(ROOT, exempt.test), 'utf8'), exempt.test).to.include(path.basename(exempt.page));
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
      folder = mkdtempSync(path.join(tmpdir(), 'tickmark-docs-'));
      writeFiles(folder);
      service = await serveTickmark(path.join(folder, 'data'));
    });
    after(async () => {
      service?.child.kill('SIGINT');
      await service?.ended;
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
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
