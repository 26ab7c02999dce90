import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import fc from 'fast-check';
import { ServiceError } from '../../../../src/core/ServiceError.ts';
import {
  answersFrame,
  KIND,
  readAnswers,
  readFrames,
  readRows,
  readValue,
  rowsFrame,
  valueFrame,
  type Kind,
} from '../../../../src/inference/child/frames.ts';

/** What arrives of bytes that come in pieces of any size. */
async function received(bytes: Buffer, cuts: readonly number[]): Promise<{ kind: Kind; body: Buffer }[]> {
  const pipe = new PassThrough();
  const frames: { kind: Kind; body: Buffer }[] = [];
  readFrames(
    pipe,
    (kind, body) => frames.push({ kind, body: Buffer.from(body) }),
    (error) => expect.fail(error.message),
  );
  let at = 0;
  for (const cut of [...cuts.map((each) => each % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]) {
    if (cut > at) pipe.write(bytes.subarray(at, cut));
    at = Math.max(at, cut);
    await new Promise((resolve) => setImmediate(resolve));
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

  it('give rows back as they were put in, whatever the pieces in which they arrive', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { minLength: 1, maxLength: 5 }),
        fc.string(),
        fc.array(fc.nat(2000), { maxLength: 6 }),
        async (rows, name, cuts) => {
          const bytes = Buffer.concat([rowsFrame(name, rows), valueFrame(KIND.drop, name), rowsFrame(name, rows)]);
          const frames = await received(bytes, cuts);
          expect(frames.map(({ kind }) => kind)).to.deep.equal([KIND.run, KIND.drop, KIND.run]);
          const read = readRows(frames[2]?.body ?? Buffer.alloc(0));
          const wanted = Buffer.from(name).toString();
          expect(read.networkId).to.equal(wanted);
          expect(readValue(frames[1]?.body ?? Buffer.alloc(0))).to.equal(name);
          for (const [i, given] of rows.entries()) {
            const got = read.rows[i];
            expect([got?.head, Object.is(got?.baseline, given.baseline)]).to.deep.equal([given.head, true]);
            for (const part of ['sequence', 'context'] as const)
              expect(
                Buffer.from((got?.[part] ?? new Float32Array()).buffer).equals(
                  Buffer.from(Uint8Array.from(new Uint8Array(given[part].buffer, given[part].byteOffset, given[part].byteLength))),
                ),
              ).to.equal(true);
          }
        },
      ),
      { numRuns: 50 },
    );
  });

  it('give answers back, with an error of the reader for each that is none', async () => {
    const output = { head: 3, baselineLogit: 0.1, residualLogit: -1e-300, directionLogit: 1 / 3 };
    const tensors = { count: 4_000_000_000, bytes: 2 ** 40 };
    const [frame] = await received(
      answersFrame({ tensors, outputs: [output, new ServiceError('inference.failed', 'x'), output] }),
      [3, 40],
    );
    const answers = readAnswers(frame?.body ?? Buffer.alloc(0), () => new ServiceError('inference.failed', 'mine'));
    expect(answers.tensors).to.deep.equal(tensors);
    expect(answers.outputs.map((each) => (each instanceof ServiceError ? each.message : each))).to.deep.equal([output, 'mine', output]);
  });

  it('tell of a length that none of ours has', async () => {
    const pipe = new PassThrough();
    const fault = new Promise<Error>((resolve) => readFrames(pipe, () => {}, resolve));
    pipe.write(Buffer.from([255, 255, 255, 255, 1]));
    expect((await fault).message).to.include('bytes');
  });
});
