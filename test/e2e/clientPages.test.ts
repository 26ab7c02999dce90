import { spawnSync, execFile } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { PYTHON, pythonClient } from '../support/pythonClient.ts';
import { readBlocks } from '../support/readBlocks.ts';
import { request } from '../support/request.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { ROOT, serveTickmark, type ServedProcess } from '../support/tickmarkProcess.ts';

const LIVE_DESK = path.join(ROOT, 'docs', 'tutorial', 'live-desk.md');

function run(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  input = '',
): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const child = execFile(command, [...args], { cwd: ROOT, env: { ...process.env, ...env } }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr }),
    );
    child.stdin?.end(input);
  });
}

/** The output of the ten calls in each language: one line or more for each. */
function expectTenAnswers(stdout: string): void {
  expect(stdout)
    .to.include('displayed only once')
    .and.include('@example.com')
    .and.match(/^ready base-\S+ (wasm|native|cuda)/m);
  expect(stdout).to.include('request.invalid').and.include('/Price/0').and.include('laptop').and.include('revoked');
  expect(stdout).to.match(/^1 identified (null|None)$/m);
  expect(stdout.match(/^[012] [\d.]+ (1|null|None)$/gm), 'three windows of the stream').to.have.length(3);
  expect(stdout).to.match(/^forecast 2024-01-02 09:3\d:\d\d\.000 (1|null|None) 0\.\d+$/m);
  expect(stdout)
    .to.match(/^outcome \d+ (true|false|True|False) -?[\d.]+/m)
    .and.match(/^score \d+ (too_few|better|worse)$/m);
}

function skipWithoutPython(test: Mocha.Context): void {
  if (spawnSync(PYTHON, ['-c', 'import httpx, websockets']).status === 0) return;
  process.stdout.write('    skipped: no python3 with httpx and websockets (PYTHON names another one)\n');
  test.skip();
}

describe('the ten calls on the client pages', function () {
  this.timeout(120_000);
  let folder: string;
  let service: ServedProcess;
  before(async () => {
    folder = temporaryFolder();
    // The pages import the package ws.
    symlinkSync(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
    service = await serveTickmark(path.join(folder, 'data'));
  });
  after(async () => {
    service?.child.kill('SIGINT');
    await service?.ended;
  });

  const here = (code: string, email: string): string =>
    code.replaceAll('http://127.0.0.1:8080', service.url).replaceAll('you@example.com', email);

  it('work in TypeScript, and pass its strict checks', async () => {
    const blocks = readBlocks(path.join(ROOT, 'docs', 'how-to', 'clients.md'), 'ts');
    expect(blocks).to.have.length(11);
    const client = path.join(ROOT, 'clients', 'typescript', 'src', 'index.ts');
    const file = path.join(folder, 'calls.ts');
    writeFileSync(file, here(blocks.join('\n'), 'ts@example.com').replaceAll("'tickmark-client'", `'${client}'`));
    const options = {
      extends: path.join(ROOT, 'tsconfig.test.json'),
      compilerOptions: {
        rootDir: '/',
        typeRoots: [path.join(ROOT, 'node_modules/@types')],
        types: ['node'],
        rewriteRelativeImportExtensions: false,
      },
      include: [file],
    };
    writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(options));
    writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
    const checked = await run(process.execPath, [path.join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', folder]);
    expect(checked.code, checked.stdout).to.equal(0);
    const ran = await run(process.execPath, ['--import', 'tsx', file]);
    expect(ran.code, ran.stderr).to.equal(0);
    expectTenAnswers(ran.stdout);
  });

  it('work in Python', async function () {
    if (spawnSync(PYTHON, ['-c', 'import httpx, websockets']).status !== 0) {
      process.stdout.write('    skipped: no python3 with httpx and websockets (PYTHON names another one)\n');
      this.skip();
    }
    const blocks = readBlocks(path.join(ROOT, 'clients', 'python', 'README.md'), 'python');
    expect(blocks).to.have.length(11);
    const file = path.join(folder, 'calls.py');
    writeFileSync(file, here(blocks.join('\n'), 'py@example.com'));
    const ran = await run(PYTHON, ['-B', file], { PYTHONPATH: pythonClient() });
    expect(ran.code, ran.stderr).to.equal(0);
    expectTenAnswers(ran.stdout);
  });

  describe('bars.md', () => {
    const page = path.join(ROOT, 'docs', 'how-to', 'bars.md');
    const OHLCV = 'Array.from({ length: 400 }, (_, i) => [T0 + 60_000 * i, 100, 100.3, 99.7, 100 + ((i * 7) % 13) / 100, 5])';
    let key: string;
    before(async () => {
      const body = { email: 'bars@example.com', password: 'correct horse 42', confirm_password: 'correct horse 42' };
      key = String((await request(service.url, '/signup', { body })).json['api_key']);
    });

    it('has one call for ccxt, Freqtrade, yfinance and MetaTrader', async function () {
      if (spawnSync(PYTHON, ['-c', 'import httpx, pandas']).status !== 0) {
        process.stdout.write('    skipped: no python3 with httpx and pandas (PYTHON names another one)\n');
        this.skip();
      }
      const blocks = readBlocks(page, 'python');
      expect(blocks).to.have.length(4);
      const stand = `
import sys
from types import SimpleNamespace as Stand
import numpy as np
import pandas as pd
ohlcv = [[1_704_187_800_000 + 60_000 * i, 100.0, 100.3, 99.7, 100 + ((i * 7) % 13) / 100, 5.0] for i in range(400)]
index = pd.to_datetime([row[0] for row in ohlcv], unit="ms", utc=True)
prices = pd.DataFrame([row[1:] for row in ohlcv], columns=["Open", "High", "Low", "Close", "Volume"], index=index)
lower = prices.rename(columns=str.lower).rename_axis("date").reset_index()
several = prices.copy()
several.columns = pd.MultiIndex.from_tuples([(name, "EURUSD=X") for name in prices])
rates = np.array([(row[0] // 1000, *row[1:5], 7) for row in ohlcv], dtype=[("time", "<i8"), *((name, "<f8") for name in ("open", "high", "low", "close")), ("tick_volume", "<u8")])
sys.modules["ccxt"] = Stand(binance=lambda: Stand(fetch_ohlcv=lambda *_, **__: ohlcv))
sys.modules["yfinance"] = Stand(download=lambda *_, **__: several)
sys.modules["MetaTrader5"] = Stand(TIMEFRAME_M1=1, copy_rates_from_pos=lambda *_: rates)
self, pair = Stand(dp=Stand(get_pair_dataframe=lambda *_: lower)), "BTC/USDT"
`;
      const file = path.join(folder, 'bars.py');
      writeFileSync(file, [stand, ...blocks.map((block) => `${block}\nprint(made["status"])`)].join('\n'));
      const env = { TICKMARK_URL: service.url, TICKMARK_KEY: key, PYTHONPATH: pythonClient() };
      const ran = await run(PYTHON, ['-B', file], env);
      expect(ran.code, ran.stderr).to.equal(0);
      const lines = ran.stdout.trim().split('\n');
      expect(lines[0]).to.match(/^30m (identified|none|abstained) (None|1) /);
      expect(lines).to.have.length(5);
    });

    it('has the call of TypeScript', async () => {
      const [block = ''] = readBlocks(page, 'ts');
      const file = path.join(folder, 'bars.ts');
      const client = path.join(ROOT, 'clients', 'typescript', 'src', 'index.ts');
      const head = `import { TickmarkClient, type Ohlcv } from '${client}';
const T0 = Date.UTC(2024, 0, 2);
const exchange = { fetchOHLCV: async (..._: unknown[]): Promise<unknown[]> => ${OHLCV} };
const client = new TickmarkClient({ baseUrl: '${service.url}', apiKey: '${key}' });`;
      writeFileSync(file, `${head}\n${block}\nconsole.log(forecasts[0]?.horizon);`);
      const ran = await run(process.execPath, ['--import', 'tsx', file]);
      expect([ran.code, ran.stdout], ran.stderr).to.deep.equal([0, '30bars\n']);
    });
  });

  for (const checker of ['mypy', 'pyright']) {
    it(`pass the strict checks of ${checker} in Python`, async function () {
      if (spawnSync(PYTHON, ['-c', `import httpx, websockets, ${checker}`]).status !== 0) {
        process.stdout.write(`    skipped: no python3 with httpx, websockets and ${checker} (PYTHON names another one)\n`);
        this.skip();
      }
      // One file for each page, whose blocks are one program.
      const files = ['clients/python/README.md', 'docs/tutorial/live-desk.md', 'docs/how-to/alerts.md'].map((page) => {
        const file = path.join(folder, `${path.basename(page, '.md').replace('-', '_')}_typed.py`);
        writeFileSync(file, readBlocks(path.join(ROOT, page), 'python').join('\n'));
        return file;
      });
      const source = pythonClient();
      const strict = checker === 'mypy' ? ['--strict', '--cache-dir', path.join(folder, 'mypy')] : ['--pythonpath', PYTHON];
      const { code, stdout, stderr } = await run(PYTHON, ['-B', '-m', checker, ...strict, ...files], {
        MYPYPATH: source,
        PYTHONPATH: source,
      });
      expect(code, stdout + stderr).to.equal(0);
    });
  }

  describe('the bots of the tutorial', () => {
    let KEY: string;
    /** Trades as in its feed: 3,000 of 75 s. */
    const trades = Array.from({ length: 3000 }, (_, i) =>
      JSON.stringify({
        e: 'trade',
        s: 'BTCUSDT',
        t: i,
        p: (42_000 + Math.sin(i / 40) * 9).toFixed(2),
        T: Date.UTC(2024, 0, 2, 9, 30) + 25 * i,
      }),
    ).join('\n');

    before(async () => {
      const body = { email: 'bots@example.com', password: 'correct horse 42', confirm_password: 'correct horse 42' };
      KEY = String((await request(service.url, '/signup', { body })).json['api_key']);
    });

    function expectForecasts({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }): void {
      expect(code, stderr).to.equal(0);
      expect(stdout.match(/^2024-01-02 09:3\d:\d\d\.\d{3} (1|null|None) 0\.\d+$/gm), stdout).to.have.length(14);
      expect(stdout.match(/^outcome of forecast \d+ (true|false|True|False)$/gm), stdout).to.have.length(12);
    }

    it('forecast a piped feed in JavaScript, in 25 lines at most', async () => {
      const [bot = ''] = readBlocks(LIVE_DESK, 'js');
      expect(
        bot
          .trim()
          .split('\n')
          .filter((line) => line !== '').length,
      ).to.be.at.most(25);
      const file = path.join(folder, 'bot.mjs');
      const client = path.join(ROOT, 'clients', 'typescript', 'src', 'index.ts');
      writeFileSync(file, here(bot, '').replaceAll("'tickmark-client'", `'${client}'`));
      expectForecasts(await run(process.execPath, ['--import', 'tsx', file], { KEY }, trades));
    });

    it('forecast a piped feed in Python', async function () {
      skipWithoutPython(this);
      const file = path.join(folder, 'bot.py');
      writeFileSync(file, here(readBlocks(LIVE_DESK, 'python')[0] ?? '', ''));
      expectForecasts(await run(PYTHON, ['-B', file], { KEY, PYTHONPATH: pythonClient() }, trades));
    });
  });
});
