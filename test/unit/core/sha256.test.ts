import { createHash } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { bytesOfBase64 } from '../../../src/core/base64.ts';
import { sha256 } from '../../../src/core/sha256.ts';

describe('sha256', () => {
  const expected = (text: string): string => createHash('sha256').update(text).digest('hex');

  it('is that of Node.js at every length around a block', () => {
    for (let length = 0; length < 200; length++) expect(sha256('a'.repeat(length)), String(length)).to.equal(expected('a'.repeat(length)));
  });

  it('is that of Node.js for any text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => void expect(sha256(text)).to.equal(expected(text))));
  });
});

describe('bytesOfBase64', () => {
  it('gives the bytes back, and refuses what is not base64', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => void expect(bytesOfBase64(Buffer.from(bytes).toString('base64'))).to.deep.equal(bytes)),
    );
    expect(() => bytesOfBase64('A?')).to.throw();
  });
});
