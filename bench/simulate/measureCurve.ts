import { createServer } from 'node:http';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { AddressInfo } from 'node:net';
import * as path from 'node:path';
import { CpuMeter } from '../serving/CpuMeter.ts';
import { Generator } from '../serving/Generator.ts';
import { KneeSearch } from '../serving/KneeSearch.ts';
import type { Untargeted } from '../serving/Load.ts';
import type { LoadReport } from '../serving/Outcomes.ts';
import { quantile } from '../serving/quantile.ts';
import { startTickmark } from '../serving/startTickmark.ts';
import { tickBodies } from '../serving/tickBodies.ts';
import { MEASURED } from './capacity.ts';

/** Requests of one load, ms from its start. */
export type Times = {
  readonly dueMs: ArrayLike<number>;
  /** When the generator wrote each. */
  readonly sentMs: Float64Array;
  /** From then until its answer was read; NaN without one. */
  readonly wayMs: Float64Array;
};

/** The same load on a replica and on a server that does nothing. */
type Pair = { readonly replica: Times; readonly trivial: Times };

/** One load, measured. */
type Point = Pair & {
  readonly fraction: number;
  readonly rate: number;
  /** Processors that other programs used meanwhile. */
  readonly foreignCores: number;
};

export type Curve = {
  /** Requests that wait for no other. */
  readonly alone: Pair;
  /** Times in a closed loop of SATURATING_CONNECTIONS, all rounds. */
  readonly saturatedMs: readonly number[];
  /** Forecasts a second there. */
  readonly capacityPerS: number;
  /** The highest rate at which p99 stays within 100 ms and 98 % are answered. */
  readonly kneePerS: number;
  /** Several rounds of each fraction of the knee. */
  readonly points: readonly Point[];
};

export const FRACTIONS = [0.3, 0.5, 0.7, 0.8, 0.9];
const ROUNDS = 6;
const MOST_P99_MS = 100;
const SECONDS = { warmUp: 10, alone: 10, saturated: 5, knee: 3, point: 5 };
/** As many as a worker has in flight: it is never idle. */
export const SATURATING_CONNECTIONS = 32;
/** Requests a second at a constant rate: far enough apart that none meets another. */
const ALONE_PER_S = 200;
/** Bytes of the answer to a forecast. */
const ANSWER = Buffer.alloc(MEASURED.answerBytes, ' ');

const answered = ({ latencyMs, status }: LoadReport): number[] => [...latencyMs].filter((_, at) => status[at] === 200);
const timesOf = ({ dueMs, sentMs, latencyMs, status }: LoadReport): Times => ({
  dueMs,
  sentMs,
  wayMs: latencyMs.map((ms, i) => (status[i] === 200 ? dueMs[i]! + ms - sentMs[i]! : NaN)),
});

/** Reads requests, and answers with as many bytes as a replica: what remains is the generator and the kernel. In this process, which has no other work. */
async function startTrivial(): Promise<{ port: number; close(): void }> {
  const server = createServer((request, response) => request.resume().once('end', () => response.end(ANSWER)));
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { port: (server.address() as AddressInfo).port, close };
}

/**
 * Measures one replica with one worker on WebAssembly: the times of requests that come alone, its capacity, its knee, and its times at rates
 * below, with arrivals of independent callers; and the same loads on a server that does nothing.
 */
export async function measureCurve(): Promise<Curve> {
  const folder = mkdtempSync(path.join(tmpdir(), 'tickmark-curve-'));
  const generator = new Generator();
  const trivial = await startTrivial();
  const side = await startTickmark({ backend: 'wasm', dataDir: path.join(folder, 'data'), env: { WORKERS: '1' } });
  try {
    const bodiesFile = path.join(folder, 'bodies.json');
    writeFileSync(bodiesFile, JSON.stringify((await tickBodies()).even));
    const make = (port: number, load: Untargeted) => generator.make({ port, bodiesFile, keys: side.keys, ...load });
    const closed = (port: number, connections: number, seconds: number) => make(port, { kind: 'closed', connections, seconds });
    const pair = async (load: Untargeted): Promise<Pair> => {
      const idle = timesOf(await make(trivial.port, load));
      return { trivial: idle, replica: timesOf(await make(side.port, load)) };
    };
    let poissonSeed = 0;
    const poisson = (rate: number, seconds: number) => ({ kind: 'open', phases: [{ rate, seconds }], poissonSeed: ++poissonSeed }) as const;
    for (const port of [trivial.port, side.port]) await closed(port, 8, SECONDS.warmUp);
    const alone = await pair({ kind: 'open', phases: [{ rate: ALONE_PER_S, seconds: SECONDS.alone }] });
    const saturate = async (): Promise<number[]> => answered(await closed(side.port, SATURATING_CONNECTIONS, SECONDS.saturated));
    const search = new KneeSearch((0.9 * (await saturate()).length) / SECONDS.saturated);
    for (let rate = search.next; rate !== undefined; rate = search.next) {
      const report = await make(side.port, poisson(rate, SECONDS.knee));
      const times = answered(report);
      search.learn(times.length >= 0.98 * report.status.length && quantile(times, 0.99) <= MOST_P99_MS);
    }
    const points: Point[] = [];
    const saturated: number[][] = [];
    for (let round = 0; round < ROUNDS; round++) {
      saturated.push(await saturate());
      for (const fraction of FRACTIONS) {
        const rate = fraction * search.knee;
        const meter = new CpuMeter(side.process.pid ?? 0);
        const times = await pair(poisson(rate, SECONDS.point));
        points.push({ ...times, fraction, rate, foreignCores: meter.read().foreignCores });
      }
    }
    const capacityPerS = quantile(
      saturated.map(({ length }) => length / SECONDS.saturated),
      0.5,
    );
    return { alone, saturatedMs: saturated.flat(), capacityPerS, kneePerS: search.knee, points };
  } finally {
    generator.close();
    trivial.close();
    side.process.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
