import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { SETTINGS } from '../src/core/config/settingTable.ts';
import type { Bench, BenchRow } from './Bench.ts';
import { ask } from './serving/ask.ts';
import { Generator } from './serving/Generator.ts';
import { startTickmark } from './serving/startTickmark.ts';
import { quantile } from './serving/summarize.ts';

const ROUNDS = 6;
const SIGN_UPS = 200;
/** Forecasts per second, sent when they are due, whether earlier ones are answered or not. */
const RATE = 50;
const SECONDS = 4;

async function floodRows(what: string, env: Record<string, string>): Promise<BenchRow[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'tickmark-flood-'));
  const generator = new Generator();
  const { port, keys, process: child } = await startTickmark({ backend: 'auto', dataDir: folder, callers: 1, env });
  try {
    const bodiesFile = path.join(folder, 'bodies.json');
    writeFileSync(bodiesFile, JSON.stringify([(await ask(port, { path: '/sample' })).text]));
    const forecast = async (): Promise<Float64Array> => {
      const load = { port, bodiesFile, keys, phases: [{ rate: RATE, seconds: SECONDS }], firstConnections: 0 };
      const { latencyMs, status } = await generator.make(load);
      const failed = status.find((each) => each !== 200);
      if (failed !== undefined) throw new Error(`forecast: ${failed}`);
      return latencyMs;
    };
    const signUp = async (email: string): Promise<number> => {
      const body = JSON.stringify({ email, password: 'correct horse 42', confirm_password: 'correct horse 42' });
      return (await ask(port, { path: '/signup', body })).status;
    };
    await forecast();
    const times = { quiet: [] as number[], flood: [] as number[] };
    const outcomes: Record<number, number> = {};
    for (let round = 0; round < ROUNDS; round++) {
      times.quiet.push(...(await forecast()));
      const flood = Promise.all(Array.from({ length: SIGN_UPS }, (_, i) => signUp(`r${round}n${i}@example.com`)));
      times.flood.push(...(await forecast()));
      for (const status of await flood) outcomes[status] = (outcomes[status] ?? 0) + 1;
    }
    const counts = Object.entries(outcomes).map(([status, count]) => `${Math.round(count / ROUNDS)} x ${status}`);
    return [0.5, 0.99].map((level) => {
      const [value, peerValue] = [quantile(times.flood, level), quantile(times.quiet, level)];
      const title = `forecast p${100 * level} while ${SIGN_UPS} sign up at once, ${what} (${counts.join(', ')})`;
      const target = level === 0.99 ? 'ratio >= 0.5' : undefined;
      return { what: title, value, unit: 'ms', peer: 'no sign-ups', peerValue, ratio: peerValue / value, target };
    });
  } finally {
    child.kill('SIGKILL');
    generator.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

export const bench: Bench = {
  name: 'flood',
  about: `Forecasts of 500 ticks at ${RATE} a second, open loop, during a flood of sign-ups; latency is measured from the due time of each. Service and load are separate processes.`,
  async run() {
    const usual = { LIMIT_SIGNUPS_PER_HOUR: String(SETTINGS.LIMIT_SIGNUPS_PER_HOUR.default) };
    const open = { LIMIT_SIGNUPS_PER_HOUR: '0', PASSWORD_HASH_QUEUE: '500' };
    return [...(await floodRows('the default limit of sign-ups', usual)), ...(await floodRows('without limit, all hashed', open))];
  },
};
