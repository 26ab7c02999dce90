import { expect } from 'chai';
import fc from 'fast-check';
import { ServiceError } from '../../../../src/core/ServiceError.ts';
import { FrameReader } from '../../../../src/inference/child/FrameReader.ts';
import { answersFrame, KIND, readAnswers, readValue, rowsFrame, valueFrame, type Kind } from '../../../../src/inference/child/frames.ts';
import { RowReader } from '../../../../src/inference/child/RowReader.ts';
import { joinRows } from '../../../../src/inference/runBatch.ts';

/** What arrives of bytes that come in pieces of any size, each in the same place in memory as the one before. */
function received(bytes: Buffer, cuts: readonly number[]): { kind: Kind; body: Buffer }[] {
  const frames: { kind: Kind; body: Buffer }[] = [];
  const reader = new FrameReader({
    onFrame: (kind, body) => frames.push({ kind, body: Buffer.from(body) }),
    onFault: (error) => expect.fail(error.message),
  });
  const place = Buffer.alloc(bytes.length);
  let at = 0;
  for (const cut of [...cuts.map((each) => each % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]) {
    if (cut > at) reader.push(place.fill(0).subarray(0, bytes.copy(place, 0, at, cut)));
    at = Math.max(at, cut);
  }
  return frames;
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
    const reader = new RowReader();
    fc.assert(
      fc.property(
        fc.array(row, { minLength: 1, maxLength: 20 }),
        fc.string(),
        fc.array(fc.nat(2000), { maxLength: 6 }),
        (rows, name, cuts) => {
          const bytes = Buffer.concat([rowsFrame(name, rows), valueFrame(KIND.drop, name), rowsFrame(name, rows)]);
          const frames = received(bytes, cuts);
          expect(frames.map(({ kind }) => kind)).to.deep.equal([KIND.run, KIND.drop, KIND.run]);
          expect(readValue(frames[1]!.body)).to.equal(name);
          const { networkId, batch } = reader.read(frames[2]!.body);
          const wanted = joinRows(rows);
          expect(networkId).to.equal(Buffer.from(name).toString());
          expect([batch.size, [...Array.from(batch.heads)]]).to.deep.equal([rows.length, [...Array.from(wanted.heads)]]);
          for (const part of ['baseline', 'sequence', 'context'] as const)
            expect(bits(batch[part]).equals(bits(wanted[part])), part).to.equal(true);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('keeps what was deserialized when the bytes are used again', () => {
    const bytes = valueFrame(KIND.open, { floats: Float32Array.of(1, 2, 3) });
    const { body } = received(bytes, [])[0]!;
    const value = readValue(body) as { floats: Float32Array };
    body.fill(0);
    expect([...value.floats]).to.deep.equal([1, 2, 3]);
  });

  it('give answers back, with an error of the reader for each that is none', () => {
    const output = { head: 3, baselineLogit: 0.1, residualLogit: -1e-300, directionLogit: 1 / 3 };
    const tensors = { count: 4_000_000_000, bytes: 2 ** 40 };
    const [frame] = received(answersFrame({ tensors, outputs: [output, new ServiceError('inference.failed', 'x'), output] }), [3, 40]);
    const answers = readAnswers(frame?.body ?? Buffer.alloc(0), () => new ServiceError('inference.failed', 'mine'));
    expect(answers.tensors).to.deep.equal(tensors);
    expect(answers.outputs.map((each) => (each instanceof ServiceError ? each.message : each))).to.deep.equal([output, 'mine', output]);
  });

  it('tell once of a length that none of ours has, and read nothing after it', () => {
    const faults: string[] = [];
    const reader = new FrameReader({ onFrame: () => expect.fail('a frame'), onFault: ({ message }) => void faults.push(message) });
    for (let i = 0; i < 3; i++) reader.push(Buffer.from([255, 255, 255, 255, 1, 0, 0, 0, 0, 1, 2]));
    expect(faults).to.deep.equal(['a frame of 4294967304 bytes']);
  });
});
