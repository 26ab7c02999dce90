import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { NetworkOutput } from '../../src/engine/model/NetworkWeights.ts';
import { FrameReader, frameOf, HELLO_ID, type Reply, type Request } from '../../src/engine/inference/child/frames.ts';

/** How an inference process behaves that a test plays. Given as JSON in its first argument. */
export type PuppetScript = {
  /** A file that counts the starts. */
  readonly counter: string;
  /** Answers rows in pairs, the second row first. */
  readonly isReversed?: boolean;
  /** From the second start on, rejects versions with this id. */
  readonly refusesLater?: string;
  /** Says that it is busy and opens a version after this time, in which it answers no ping. */
  readonly opensAfterMs?: number;
  /** Ends before it is ready in these starts, counted from 1. */
  readonly failsAt?: readonly number[];
  /** Listens there as well as on descriptor 3. */
  readonly socketPath?: string;
};

const script = JSON.parse(process.argv[2] ?? '{}') as PuppetScript;
const start = 1 + Number(readFileSync(script.counter, 'utf8'));
writeFileSync(script.counter, String(start));
if (script.failsAt?.includes(start) === true) process.exit(3);

const tensors = { count: start, bytes: 8 };
let isSilent = false;

function serve(stream: Duplex): void {
  const held: (() => void)[] = [];
  const reply = (message: Reply): void => void stream.write(frameOf(message));
  const onMessage = (request: Request): void => {
    if (request.kind === 'open') {
      const { id, version } = request;
      // A batch takes as many ms as starts, and larger ones pay with the first process only.
      const readout = (batch: number) => ({
        batch,
        lstm: undefined,
        readout: { chosen: 'fused' as const, ms: start === 1 ? 1 : batch, timesMs: {} },
      });
      const answer = (): void => {
        isSilent = false;
        if (start > 1 && version.manifest.id === script.refusesLater)
          reply({ kind: 'failed', id, fault: { code: 'model.refused', message: 'golden row 0 is off' } });
        else reply({ kind: 'done', id, value: { warmed: [readout(1), readout(4)], tensors } });
      };
      if (script.opensAfterMs === undefined) return answer();
      reply({ kind: 'busy' });
      isSilent = true;
      setTimeout(answer, script.opensAfterMs);
    } else if (request.kind === 'run' && !isSilent) {
      const { id, batch } = request;
      const outputs: NetworkOutput[] = Array.from(batch.baseline, (baseline, i) => ({
        head: batch.heads[i],
        baselineLogit: baseline,
        residualLogit: batch.size,
        directionLogit: start,
      }));
      held.push(() => reply({ kind: 'done', id, value: { tensors, outputs } }));
      if (script.isReversed === true && held.length < 2) return;
      for (const answer of held.splice(0).toReversed()) answer();
    } else if (request.kind === 'ping' && !isSilent) reply({ kind: 'pong' });
  };
  const reader = new FrameReader<Request>({ onMessage, onFault: () => process.exit(1) });
  stream.on('data', (piece: Buffer) => reader.push(piece)).on('error', () => {});
  reply({ kind: 'done', id: HELLO_ID, value: { backend: 'cpu', description: `puppet ${start}`, refused: [] } });
}

const pipe = new Socket({ fd: 3, readable: true, writable: true });
pipe.on('close', () => process.exit(0)).on('error', () => process.exit(0));
const { socketPath } = script;
if (socketPath === undefined) serve(pipe);
else {
  rmSync(socketPath, { force: true });
  createServer(serve).listen(socketPath, () => serve(pipe));
}
