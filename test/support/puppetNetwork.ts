import { readFileSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import type { NetworkOutput } from '../../src/model/NetworkSpec.ts';
import { FrameReader } from '../../src/inference/child/FrameReader.ts';
import { answersFrame, faultOf, KIND, readValue, valueFrame, withId } from '../../src/inference/child/frames.ts';
import type { OpenOrder } from '../../src/inference/child/NetworkChild.ts';
import { RowReader } from '../../src/inference/child/RowReader.ts';
import { ServiceError } from '../../src/core/ServiceError.ts';

/** Script of a fake inference process. Passed as JSON instead of the name of a backend. */
export type PuppetScript = {
  /** A file that counts the starts. */
  readonly counter: string;
  /** Never answers rows or pings. */
  readonly isMute?: boolean;
  /** Answers rows in pairs, the second row first. */
  readonly isReversed?: boolean;
  /** From the second start on, rejects versions with this id. */
  readonly refusesLater?: string;
  /** Exits before it is ready in these starts, counted from 1. */
  readonly failsAt?: readonly number[];
};

const script = JSON.parse(process.argv[2] ?? '{}') as PuppetScript;
const start = 1 + Number(readFileSync(script.counter, 'utf8'));
writeFileSync(script.counter, String(start));
if (script.failsAt?.includes(start) === true) process.exit(3);

const pipe = new Socket({ fd: 3, readable: true, writable: true });
pipe.on('close', () => process.exit(0)).on('error', () => process.exit(0));
const rows = new RowReader();
const held: (() => void)[] = [];
const reader = new FrameReader({
  onFrame: (kind, body, id) => {
    const reply = (bytes: Buffer): void => void pipe.write(withId(bytes, id));
    if (kind === KIND.open) {
      const { version } = readValue(body) as OpenOrder;
      const isRefused = start > 1 && version.manifest.id === script.refusesLater;
      // A batch takes as many ms as there were starts; larger batches are faster only in the first process.
      const readout = (batch: number) => ({
        batch,
        lstm: undefined,
        readout: { chosen: 'fused' as const, ms: start === 1 ? 1 : batch, timesMs: {} },
      });
      const opened = { warmed: [readout(1), readout(4)], tensors: { count: start, bytes: 8 } };
      reply(
        isRefused
          ? valueFrame(KIND.failed, faultOf(new ServiceError('model.refused', 'golden row 0 is off')))
          : valueFrame(KIND.opened, opened),
      );
    } else if (kind === KIND.run && script.isMute !== true) {
      const { batch } = rows.read(body);
      const outputs: NetworkOutput[] = Array.from(batch.baseline, (baseline, i) => ({
        head: batch.heads[i]!,
        baselineLogit: baseline,
        residualLogit: batch.size,
        directionLogit: start,
      }));
      held.push(() => reply(answersFrame({ tensors: { count: start, bytes: 8 }, outputs })));
      if (script.isReversed === true && held.length < 2) return;
      for (const answer of held.splice(0).toReversed()) answer();
    } else if (kind === KIND.ping && script.isMute !== true) reply(valueFrame(KIND.pong, null));
  },
  onFault: () => process.exit(1),
});
pipe.on('data', (piece: Buffer) => reader.push(piece));
pipe.write(valueFrame(KIND.hello, { backend: 'cpu', description: `puppet ${start}`, refused: [] }));
