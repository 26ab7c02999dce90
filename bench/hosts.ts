import { spawn } from 'node:child_process';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { SEQUENCE_COLUMNS, SEQUENCE_STEPS } from '../src/engine/features/WindowMeasures.ts';
import { CONTEXT_COLUMNS } from '../src/engine/features/columns.ts';
import type { Bench, BenchRow } from './Bench.ts';
import { measure } from './measure.ts';

const ROW = SEQUENCE_STEPS * SEQUENCE_COLUMNS + CONTEXT_COLUMNS;
const MAX_ROWS = 32;
const peer = (name: string): string => fileURLToPath(new URL(`./peers/${name}`, import.meta.url));

/** Rows in shared memory, with one message in each direction. */
function startWorker(): { roundTrip: (rows: number) => Promise<void>; end: () => Promise<number> } {
  const shared = new SharedArrayBuffer(4 * ROW * MAX_ROWS);
  const floats = new Float32Array(shared);
  const row = new Float32Array(ROW).fill(1);
  const worker = new Worker(peer('echoWorker.mjs'), { workerData: shared });
  let done = (): void => {};
  worker.on('message', () => done());
  return {
    roundTrip: (rows) => {
      for (let i = 0; i < rows; i++) floats.set(row, i * ROW);
      return new Promise((resolve) => {
        done = resolve;
        worker.postMessage(rows * ROW);
      });
    },
    end: () => worker.terminate(),
  };
}

/** Rows in a binary frame through a pipe, and one frame back. */
function startChild(): { roundTrip: (rows: number) => Promise<void>; end: () => void } {
  const child = spawn(process.execPath, [peer('echoChild.mjs')], { stdio: ['ignore', 'inherit', 'inherit', 'pipe'] });
  const pipe = child.stdio[3] as Duplex;
  const row = new Uint8Array(new Float32Array(ROW).fill(1).buffer);
  let [done, got] = [(): void => {}, 0];
  pipe.on('data', (chunk: Buffer) => {
    got += chunk.length;
    if (got < 24) return;
    got = 0;
    done();
  });
  return {
    roundTrip: (rows) => {
      const bytes = Buffer.allocUnsafe(4 + rows * row.length);
      bytes.writeUInt32LE(rows * row.length, 0);
      for (let i = 0; i < rows; i++) bytes.set(row, 4 + i * row.length);
      return new Promise((resolve) => {
        done = resolve;
        pipe.write(bytes);
      });
    },
    end: () => void child.kill(),
  };
}

export const bench: Bench = {
  name: 'hosts',
  about: 'Round trip of rows to another thread or process and of the answers, without running the network.',
  async run() {
    const [worker, child] = [startWorker(), startChild()];
    const rows: BenchRow[] = [];
    for (const count of [1, 8, MAX_ROWS]) {
      const [childUs = NaN, workerUs = NaN] = await measure([() => child.roundTrip(count), () => worker.roundTrip(count)], { roundMs: 5 });
      rows.push({
        what: `child process, binary frames, ${count} rows of ${4 * ROW} bytes`,
        value: childUs,
        unit: 'us',
        peer: 'worker thread, shared memory',
        peerValue: workerUs,
        ratio: workerUs / childUs,
      });
    }
    child.end();
    await worker.end();
    return rows;
  },
};
