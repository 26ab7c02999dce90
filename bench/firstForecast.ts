import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { packageRoot } from '../src/core/packageRoot.ts';
import { syntheticTicks } from '../src/ticks/syntheticTicks.ts';
import { freePort } from '../test/support/freePort.ts';
import { TICK_FORMATS, type Quote } from '../test/support/tickFormats.ts';
import type { Bench, BenchRow } from './Bench.ts';
import { ask } from './serving/ask.ts';
import { startProcess } from './serving/startProcess.ts';

const TICKS = 200_000;
/** The ticks are generated in the format of each vendor. Files have the names of quickstart.md; the format is detected from the content. */
const FILES = [
  { spelling: 'Dukascopy ticks', file: 'EURUSD_Ticks.csv', words: 'a Dukascopy file' },
  { spelling: 'HistData ticks', file: 'DAT_ASCII_EURUSD_T.csv', words: 'a HistData file' },
  { spelling: 'zip', file: 'BTCUSDT-aggTrades.zip', words: 'a zip of Binance aggTrades' },
] as const;
const PROMISED_S = 300;

function quotes(): Quote[] {
  const { timesUs, prices } = syntheticTicks({ seed: 7, count: TICKS });
  // Vendors write milliseconds.
  return [...prices].map((price, i) => ({ us: Math.floor(timesUs[i] / 1000) * 1000, bid: price, ask: price + 0.0001 }));
}

export const bench: Bench = {
  name: 'firstForecast',
  about:
    'The steps of README.md and docs/tutorial/quickstart.md, automated in a fresh clone of the last commit: seconds from an empty folder to a forecast of your own ticks, without the time to download the file and to read.',
  async run() {
    const folder = mkdtempSync(path.join(tmpdir(), 'tickmark-first-'));
    const clone = path.join(folder, 'tickmark');
    const rows: BenchRow[] = [];
    let totalS = 0;
    const time = async <T>(what: string, run: () => T | Promise<T>): Promise<T> => {
      const startMs = performance.now();
      const result = await run();
      const value = (performance.now() - startMs) / 1000;
      totalS += value;
      rows.push({ what, value, unit: 's' });
      return result;
    };
    const inClone = (command: string, ...args: readonly string[]): string =>
      execFileSync(command, args, { cwd: clone, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    const ticks = quotes();
    for (const { spelling, file } of FILES)
      writeFileSync(path.join(folder, file), TICK_FORMATS.find(({ name }) => name === spelling)!.write(ticks));
    let service: Awaited<ReturnType<typeof startProcess>> | undefined;
    try {
      await time('git clone', () => execFileSync('git', ['clone', '--quiet', '--no-hardlinks', packageRoot(), clone]));
      await time('npm ci', () => inClone('npm', 'ci'));
      const port = await freePort();
      const env = { HOST: '127.0.0.1', PORT: String(port), MONGODB_URI: '' };
      service = await time('npm start, until it is ready', () => startProcess('npm', ['start', '--silent', '--', '--json'], env, clone));
      for (const { file, words } of FILES) {
        const given = path.join(folder, file);
        await time(`npx tickmark doctor ${words}, ${TICKS} ticks`, () => inClone('npx', 'tickmark', 'doctor', given));
        const explained = await time(`npx tickmark predict ${words} --horizon 5m --explain`, () =>
          inClone('npx', 'tickmark', 'predict', given, '--horizon', '5m', '--explain'),
        );
        if (!explained.includes('Turned by')) throw new Error(`no proof in the answer for ${words}: ${explained}`);
      }
      const account = { email: 'first@example.com', password: 'correct horse 42', confirm_password: 'correct horse 42' };
      const signedUp = await time('POST /signup', () => ask(port, { path: '/signup', body: JSON.stringify(account) }));
      const { api_key: key } = JSON.parse(signedUp.text) as { api_key: string };
      const { text: body } = await ask(port, { path: '/sample' });
      const forecast = await time('POST /auth/ti-tick?detail=full, the first', () =>
        ask(port, { path: '/auth/ti-tick?detail=full', body, key }),
      );
      if (forecast.status !== 200) throw new Error(`a forecast over HTTP: ${forecast.status} ${forecast.text}`);
    } finally {
      service?.child.kill('SIGTERM');
      await new Promise((resolve) => (service === undefined ? resolve(undefined) : service.child.once('close', resolve)));
      rmSync(folder, { recursive: true, force: true });
    }
    return [...rows, { what: 'total', value: totalS, unit: 's', target: `<= ${PROMISED_S} s` }];
  },
};
