import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { packageRoot } from '../src/core/packageRoot.ts';
import { syntheticTicks } from '../src/ticks/syntheticTicks.ts';
import type { Bench, BenchRow } from './Bench.ts';
import { ask } from './serving/ask.ts';
import { readTree } from './serving/procStat.ts';
import { freePort, startProcess } from './serving/startProcess.ts';

const PER_SECOND = 25;
const SECONDS = 60;
const TICKS = 500;
const STEP = 8;
/** The kernel counts what it will write when a page changes; the last ones are counted a little later. */
const SETTLE_MS = 3000;

/** Bytes that the processes have caused to be written to the disk (proc(5)). */
const writtenBytes = (root: number): number =>
  readTree(root)
    .map(({ pid }) => Number(/^write_bytes: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1] ?? 0))
    .reduce((sum, bytes) => sum + bytes, 0);

/** Bytes on the disk for each forecast of one series, each on a connection of its own, so that the workers take turns. */
async function measure(workers: number, query: string): Promise<number> {
  const folder = mkdtempSync(path.join(tmpdir(), 'tickmark-writes-'));
  const port = await freePort();
  const env = { PORT: String(port), DATA_DIR: folder, WORKERS: String(workers), METRICS_PORT: '0', MONGODB_URI: '', LOG_LEVEL: 'warn' };
  const { child } = await startProcess('node', ['bin/tickmark.js', 'serve', '--json'], { ...env, HOST: '127.0.0.1' }, packageRoot());
  try {
    const person = { email: 'bench@example.com', password: 'passw0rd1234', confirm_password: 'passw0rd1234' };
    const signedUp = await ask(port, { path: '/signup', body: JSON.stringify(person) });
    const { api_key: key } = JSON.parse(signedUp.text) as { api_key: string };
    const ticks = syntheticTicks({ seed: 3, count: TICKS + STEP * PER_SECOND * SECONDS });
    const send = async (at: number): Promise<void> => {
      const times = [...ticks.timesUs.slice(STEP * at, STEP * at + TICKS)].map((us) => Math.floor(us / 1000));
      const Price = [...ticks.prices.slice(STEP * at, STEP * at + TICKS), 0];
      const body = JSON.stringify({ Timestamp: [...times, times.at(-1)! + 60_000], Price });
      const { status, text } = await ask(port, { path: `/auth/ti-tick?answer=last${query}`, body, key });
      if (status !== 200) throw new Error(text);
    };
    const before = writtenBytes(child.pid!);
    const startMs = performance.now();
    const count = PER_SECOND * SECONDS;
    for (let at = 0; at < count; at++) {
      await send(at);
      const restMs = startMs + ((at + 1) * 1000) / PER_SECOND - performance.now();
      if (restMs > 0) await new Promise((resolve) => setTimeout(resolve, restMs));
    }
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    return (writtenBytes(child.pid!) - before) / count;
  } finally {
    child.kill('SIGTERM');
    await new Promise((resolve) => child.once('close', resolve));
    rmSync(folder, { recursive: true, force: true });
  }
}

export const bench: Bench = {
  name: 'seriesWrites',
  about: `Bytes that reach the disk for each of ${PER_SECOND} forecasts/s of one series in ${SECONDS} s, with SQLite (Linux).`,
  async run(only = '') {
    const rows: BenchRow[] = [];
    for (const workers of [1, 2])
      for (const [name, query] of [
        ['series=', '&series=a'],
        ['no series', ''],
      ] as const) {
        const what = `${workers} worker${workers > 1 ? 's' : ''}, ${name}`;
        if (what.includes(only)) rows.push({ what, value: await measure(workers, query), unit: 'bytes/forecast' });
      }
    return rows;
  },
};
