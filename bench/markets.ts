import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { readSettings } from '../src/core/config/settings.ts';
import { startService } from '../src/service/app/startService.ts';
import { findAt } from '../test/support/LocalExchange.ts';
import type { Bench, BenchRow } from './Bench.ts';
import { ask } from './serving/ask.ts';

const MARKETS = 50;
/** Trades of each market. */
const PER_SECOND = 5;
const EVERY_S = 5;
const SECONDS = 60;
const SHORT_SECONDS = 15;
/** Connections, first forecasts and compiled code. */
const WARM_UP_S = 15;
const HORIZON_SETS = [['60s'], ['60s', '5m', '10m', '1h']];

type Last = { readonly n: number; readonly probability: number | null };

const pause = (seconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1000 * seconds));

async function measure(horizons: readonly string[], seconds: number): Promise<BenchRow[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'tickmark-markets-'));
  const program = path.join(import.meta.dirname, 'marketsExchange.ts');
  const exchange = spawn(process.execPath, ['--import', 'tsx', program, String(MARKETS), String(PER_SECOND)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(exchange.stdout, 'data')) as [Buffer];
  const settings = readSettings({
    ...{ DATA_DIR: folder, PORT: '0', METRICS_PORT: '0', LOG_LEVEL: 'silent', INFERENCE_PROCESS: 'false', RUNTIME_BACKEND: 'wasm' },
    MARKETS_PER_ACCOUNT: String(MARKETS),
  });
  const service = await startService(settings, { findMarket: findAt(Number(line.toString())) });
  try {
    const person = { email: 'bench@example.com', password: 'passw0rd1234', confirm_password: 'passw0rd1234' };
    const { api_key: key } = JSON.parse((await ask(service.port, { path: '/signup', body: JSON.stringify(person) })).text) as {
      api_key: string;
    };
    const lastForecasts = async (): Promise<readonly (readonly Last[])[]> => {
      const { text } = await ask(service.port, { path: '/account/markets', key });
      const { markets } = JSON.parse(text) as { markets: { forecasts: { last: Last | null }[] }[] };
      return markets.map(({ forecasts }) => forecasts.flatMap(({ last }) => last ?? []));
    };
    const made = async (): Promise<number> =>
      (await lastForecasts()).reduce((sum, lasts) => sum + 1 + Math.max(-1, ...lasts.map(({ n }) => n)), 0);
    for (let market = 0; market < MARKETS; market++) {
      const body = { exchange: 'binance', symbol: `M${market}/USDT`, horizons, every: `${EVERY_S}s`, cost_bps: 2 };
      const { status, text } = await ask(service.port, { path: '/account/markets', body: JSON.stringify(body), key });
      if (status !== 201) throw new Error(text);
    }
    await pause(WARM_UP_S);
    const before = await made();
    const cpu = process.cpuUsage();
    const startMs = performance.now();
    await pause(seconds);
    const { user, system } = process.cpuUsage(cpu);
    const wallS = (performance.now() - startMs) / 1000;
    const count = (await made()) - before;
    const lasts = (await lastForecasts()).flat();
    const computed = lasts.filter(({ probability }) => probability !== null).length / lasts.length;
    const what = `${MARKETS} markets, ${horizons.join(' ')} every ${EVERY_S} s`;
    return [
      { what: `${what}: processor`, value: (user + system) / 1e6 / wallS, unit: 'CPU s/s', target: '<= 0.5 CPU s/s' },
      { what: `${what}: forecasts`, value: count / wallS, unit: '1/s' },
      { what: `${what}: of them with a probability`, value: 100 * computed, unit: '%' },
    ];
  } finally {
    await service.close();
    exchange.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

export const bench: Bench = {
  name: 'markets',
  about: `Processor time of a service that watches ${MARKETS} markets with ${PER_SECOND} trades/s each, played by another process; WebAssembly, SQLite.`,
  async run(only = '', { short = false } = {}) {
    const rows: BenchRow[] = [];
    for (const horizons of HORIZON_SETS)
      if (horizons.join(' ').includes(only)) rows.push(...(await measure(horizons, short ? SHORT_SECONDS : SECONDS)));
    return rows;
  },
};
