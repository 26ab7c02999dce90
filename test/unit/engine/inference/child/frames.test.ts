import { deserialize, serialize } from 'node:v8';
import { expect } from 'chai';
import fc from 'fast-check';
import { FrameReader, frameOf, type Reply, type Request } from '../../../../../src/engine/inference/child/frames.ts';
import { joinRows } from '../../../../../src/engine/inference/runBatch.ts';

/** What arrives of bytes that come in pieces of any size, each in the same place in memory as the one before. */
function received(bytes: Buffer, cuts: readonly number[]): object[] {
  const messages: object[] = [];
  const faults: string[] = [];
  // Arrays are copied: they are valid only during the call.
  const onMessage = (message: object): void => void messages.push(deserialize(serialize(message)) as object);
  const reader = new FrameReader({ onMessage, onFault: ({ message }) => faults.push(message) });
  const place = Buffer.alloc(bytes.length);
  let at = 0;
  for (const cut of [...cuts.map((each) => each % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]) {
    if (cut > at) reader.push(place.fill(0).subarray(0, bytes.copy(place, 0, at, cut)));
    at = Math.max(at, cut);
  }
  expect(faults).to.deep.equal([]);
  return messages;
}

describe('frames', () => {
  const row = fc.record({
    head: fc.integer({ min: 0, max: 255 }),
    baseline: fc.double(),
    sequence: fc.float32Array({ minLength: 12, maxLength: 12 }),
    context: fc.float32Array({ minLength: 3, maxLength: 3 }),
  });
  const bits = (floats: Float32Array): Buffer => Buffer.from(floats.buffer, floats.byteOffset, floats.byteLength);

  it('give rows back as they were put in, whatever the pieces in which they arrive and the frames before', () => {
    fc.assert(
      fc.property(
        fc.array(row, { minLength: 1, maxLength: 20 }),
        fc.string({ unit: 'binary' }),
        fc.array(fc.nat(2000), { maxLength: 6 }),
        (rows, networkId, cuts) => {
          const run: Request = { kind: 'run', id: 2 ** 40, networkId, batch: joinRows(rows) };
          const drop: Request = { kind: 'drop', networkId };
          const messages = received(Buffer.concat([frameOf(run), frameOf(drop), frameOf(run)]), cuts);
          expect(messages).to.have.lengthOf(3);
          expect(messages[1]).to.deep.equal(drop);
          for (const got of [messages[0], messages[2]] as (Request & { kind: 'run' })[]) {
            expect({ ...got, batch: { ...got.batch } }).to.deep.include({ kind: 'run', id: 2 ** 40, networkId });
            expect([got.batch.size, [...Array.from(got.batch.heads)]]).to.deep.equal([rows.length, rows.map(({ head }) => head)]);
            for (const part of ['baseline', 'sequence', 'context'] as const)
              expect(bits(got.batch[part]).equals(bits(run.batch[part])), part).to.equal(true);
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  it('hold no more of an array than the part that is sent', () => {
    const all = new Float32Array(10_000);
    const batch = { size: 1, sequence: all.subarray(4, 8), context: all.subarray(0, 1), baseline: all.subarray(1, 2), heads: [0] };
    expect(frameOf({ kind: 'run', id: 1, networkId: 'a', batch }).length).to.be.below(300);
  });

  it('give answers back, every number as it was', () => {
    const output = { head: 3, baselineLogit: 0.1, residualLogit: -1e-300, directionLogit: 1 / 3 };
    const fault = { code: 'inference.failed', message: 'x' } as const;
    const value = { tensors: { count: 4_000_000_000, bytes: 2 ** 40 }, outputs: [output, fault, output] };
    const reply: Reply = { kind: 'done', id: 7, value };
    expect(received(frameOf(reply), [3, 40])).to.deep.equal([reply]);
  });

  for (const [what, bytes, fault] of [
    ['a length that none of ours has', [255, 255, 255, 255, 1, 0, 0, 0, 0, 1, 2], /^a frame of 4294967299 bytes$/],
    ['a body that V8 did not write', [3, 0, 0, 0, 1, 2, 3], /./],
    ['a body that is no message', [...frameOf(1 as unknown as Request)], /^a frame without a message$/],
  ] as const)
    it(`tell once of ${what}, and read nothing after it`, () => {
      const faults: string[] = [];
      const messages: object[] = [];
      const reader = new FrameReader({ onMessage: (message) => messages.push(message), onFault: ({ message }) => faults.push(message) });
      reader.push(frameOf({ kind: 'ping' }));
      reader.push(Buffer.from(bytes));
      for (let i = 0; i < 3; i++) reader.push(frameOf({ kind: 'ping' }));
      expect(messages).to.have.lengthOf(1);
      expect(faults).to.have.lengthOf(1);
      expect(faults[0]).to.match(fault);
    });
});
