import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { CpuMeter } from '../serving/CpuMeter.ts';
import { Generator } from '../serving/Generator.ts';
import { KneeSearch } from '../serving/KneeSearch.ts';
import type { LoadReport } from '../serving/Outcomes.ts';
import { dueTimes } from '../serving/openLoop.ts';
import { quantile } from '../serving/quantile.ts';
import { startTickmark } from '../serving/startTickmark.ts';
import { tickBodies } from '../serving/tickBodies.ts';

/** One load, measured. */
export type Point = {
  readonly fraction: number;
  readonly rate: number;
  /** When each request was due, ms: the simulation gets the same. */
  readonly dueMs: readonly number[];
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Processors that other programs used meanwhile. */
  readonly foreignCores: number;
};

export type Curve = {
  /** Times of requests that waited for no other, ms. */
  readonly aloneMs: readonly number[];
  /** Forecasts a second that one replica answers without a pause. */
  readonly capacityPerS: number;
  /** The highest rate at which p99 stays within 100 ms and 98 % are answered. */
  readonly kneePerS: number;
  /** Several rounds of each fraction of the knee. */
  readonly points: readonly Point[];
};

export const FRACTIONS = [0.3, 0.5, 0.7, 0.8, 0.9];
const ROUNDS = 3;
const MOST_P99_MS = 100;
const SECONDS = { warmUp: 5, alone: 5, capacity: 5, knee: 3, point: 5 };
/** A time is not counted before: the queue is empty at the start, as in the simulation. */
const WARM_UP_FRACTION = 0.1;

const answered = ({ latencyMs, status }: LoadReport): number[] => [...latencyMs].filter((_, at) => status[at] === 200);

/**
 * Measures one replica with one worker on WebAssembly: the times of requests that come alone, its capacity, its knee, and its times at rates
 * below, with arrivals of independent callers.
 */
export async function measureCurve(): Promise<Curve> {
  const folder = mkdtempSync(path.join(tmpdir(), 'tickmark-curve-'));
  const generator = new Generator();
  const side = await startTickmark({ backend: 'wasm', dataDir: path.join(folder, 'data'), env: { WORKERS: '1' } });
  try {
    const bodiesFile = path.join(folder, 'bodies.json');
    writeFileSync(bodiesFile, JSON.stringify((await tickBodies()).even));
    const target = { port: side.port, bodiesFile, keys: side.keys };
    const closed = (connections: number, seconds: number) => generator.make({ ...target, kind: 'closed', connections, seconds });
    let seed = 0;
    const open = async (rate: number, seconds: number): Promise<{ report: LoadReport; dueMs: number[] }> => {
      const load = { kind: 'open', phases: [{ rate, seconds }], poissonSeed: ++seed } as const;
      return { report: await generator.make({ ...target, ...load }), dueMs: dueTimes(load.phases, seed) };
    };
    await closed(8, SECONDS.warmUp);
    const aloneMs = answered(await closed(1, SECONDS.alone));
    const capacityPerS = answered(await closed(16, SECONDS.capacity)).length / SECONDS.capacity;
    const search = new KneeSearch(0.9 * capacityPerS);
    for (let rate = search.next; rate !== undefined; rate = search.next) {
      const { report } = await open(rate, SECONDS.knee);
      const times = answered(report);
      search.learn(times.length >= 0.98 * report.status.length && quantile(times, 0.99) <= MOST_P99_MS);
    }
    const points: Point[] = [];
    for (let round = 0; round < ROUNDS; round++)
      for (const fraction of FRACTIONS) {
        const rate = fraction * search.knee;
        const meter = new CpuMeter(side.process.pid ?? 0);
        const { report, dueMs } = await open(rate, SECONDS.point);
        const { foreignCores } = meter.read();
        const times = [...report.latencyMs].slice(Math.ceil(WARM_UP_FRACTION * dueMs.length)).filter((ms) => !Number.isNaN(ms));
        points.push({ fraction, rate, dueMs, p50Ms: quantile(times, 0.5), p99Ms: quantile(times, 0.99), foreignCores });
      }
    return { aloneMs, capacityPerS, kneePerS: search.knee, points };
  } finally {
    generator.close();
    side.process.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
