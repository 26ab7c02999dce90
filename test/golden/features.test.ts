import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import { goldenFeatures } from '../support/goldenFeatures.ts';

const root = path.resolve(import.meta.dirname, '../..');

/** All numbers of a text, and the text without them. */
const split = (json: string): { words: string; numbers: number[] } => ({
  words: json.replaceAll(/-?\d[\d.]*(e[-+]?\d+)?/g, '#'),
  numbers: [...json.matchAll(/-?\d[\d.]*(e[-+]?\d+)?/g)].map((match) => Number(match[0])),
});

describe('golden features', () => {
  it('equal the output of test/golden/makeFeatures.ts', () => {
    const expected = split(JSON.stringify(JSON.parse(readFileSync(path.join(root, 'test/golden/features.json'), 'utf8'))));
    const actual = split(JSON.stringify(goldenFeatures()));
    expect(actual.words).to.equal(expected.words);
    const apart = expected.numbers.findIndex((value, i) => Math.abs(actual.numbers[i] - value) > 1e-6 * Math.abs(value));
    expect(apart, `number ${apart} is ${actual.numbers[apart]} for ${expected.numbers[apart]}`).to.equal(-1);
  });
});
