import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { forwardLines } from '../../../src/core/childProcess.ts';

async function forwarded(...pieces: (string | Buffer)[]): Promise<string[]> {
  const stream = new PassThrough();
  const got: string[] = [];
  forwardLines(stream, (lines) => got.push(lines));
  for (const piece of pieces) stream.write(piece);
  stream.end();
  await new Promise((resolve) => stream.once('close', resolve));
  return got;
}

describe('forwardLines', () => {
  it('forwards whole lines, however they arrive, and ends the last one', async () => {
    expect(await forwarded('on', 'e\ntwo\nthr', 'ee\n', 'four')).to.deep.equal(['one\ntwo\n', 'three\n', 'four\n']);
    const letter = Buffer.from('ä\n');
    expect(await forwarded(letter.subarray(0, 1), letter.subarray(1))).to.deep.equal(['ä\n']);
  });

  it('buffers a bounded part of a line that does not end', async () => {
    const piece = 'x'.repeat(50_000);
    expect((await forwarded(piece, piece, piece)).map(({ length }) => length)).to.deep.equal([100_001, 50_001]);
  });
});
