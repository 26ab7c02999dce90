import { createHash } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { DayFingerprinter, dayFingerprints, type DayTicks } from '../../../../training/data/dayFingerprints.ts';

const DAY_US = 86_400e6;
const ticks = (rows: readonly (readonly [number, number])[]): DayTicks => ({
  timesUs: Float64Array.from(rows, ([time]) => time),
  prices: Float64Array.from(rows, ([, price]) => price),
});
const sha256 = (...parts: (string | Uint8Array)[]): string =>
  parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest('hex');
const bytes = (...values: number[]): Buffer => {
  const buffer = Buffer.alloc(8 * values.length);
  values.forEach((value, i) => buffer.writeDoubleLE(value, 8 * i));
  return buffer;
};

describe('dayFingerprints', () => {
  it('describes each UTC day with ticks: rows, first and last time, and the hash of the hashes of times and prices', () => {
    const days = dayFingerprints(
      ticks([
        [10, 1.5],
        [DAY_US - 1, 1.6],
        [DAY_US, 1.7],
        [3 * DAY_US + 5, 1.8],
      ]),
    );
    expect(days.map(({ day, rows, fromUs, toUs }) => [day, rows, fromUs, toUs])).to.deep.equal([
      ['1970-01-01', 2, 10, DAY_US - 1],
      ['1970-01-02', 1, DAY_US, DAY_US],
      ['1970-01-04', 1, 3 * DAY_US + 5, 3 * DAY_US + 5],
    ]);
    expect(days[0]?.sha256).to.equal(sha256(sha256(bytes(10, DAY_US - 1)) + sha256(bytes(1.5, 1.6))));
  });

  it('has a second hash that other dates do not change, but prices and time steps do; none for a day of one price', () => {
    const undated = (...rows: [number, number][]): (string | null)[] => dayFingerprints(ticks(rows)).map((day) => day.undatedSha256);
    const [hash] = undated([5, 1], [9, 2]);
    expect(hash).to.equal(sha256(sha256(bytes(0, 4)) + sha256(bytes(1, 2))));
    expect(undated([7 * DAY_US + 5, 1], [7 * DAY_US + 9, 2])).to.deep.equal([hash]);
    expect(undated([5, 1], [10, 2])).to.not.deep.equal([hash]);
    expect(undated([5, 1], [9, 3])).to.not.deep.equal([hash]);
    expect(undated([5, 1], [9, 1], [DAY_US, 1], [DAY_US + 1, 2])).to.deep.equal([null, undated([3, 1], [4, 2])[0]]);
  });

  it('returns an empty list for an empty series', () => expect(dayFingerprints(ticks([]))).to.deep.equal([]));

  it('gives the same fingerprints for any division into blocks, and at any place in memory', () => {
    const step = fc.tuple(fc.integer({ min: 0, max: DAY_US / 3 }), fc.double({ min: 0.5, max: 2, noNaN: true }));
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 60 }), fc.integer({ min: 1, max: 7 }), (steps, block) => {
        let time = 0;
        const whole = ticks(steps.map(([gap, price]) => [(time += gap), price] as const));
        const hasher = new DayFingerprinter();
        for (let from = 0; from < steps.length; from += block) hasher.add(whole, from, Math.min(from + block, steps.length));
        expect(hasher.end()).to.deep.equal(dayFingerprints(whole));
        const shifted = {
          timesUs: Float64Array.of(0, ...whole.timesUs).subarray(1),
          prices: Float64Array.of(0, ...whole.prices).subarray(1),
        };
        expect(dayFingerprints(shifted)).to.deep.equal(dayFingerprints(whole));
      }),
    );
  });

  it('changes only the fingerprint of the day of a changed tick', () => {
    const before = dayFingerprints(ticks([[1, 1], [2, 1.5], [DAY_US, 2]])); // prettier-ignore
    const after = dayFingerprints(ticks([[1, 1], [2, 1.5000001], [DAY_US, 2]])); // prettier-ignore
    expect(after[0]?.sha256).to.not.equal(before[0]?.sha256);
    expect(after[1]).to.deep.equal(before[1]);
  });

  it('refuses ticks of an earlier day', () => {
    const hasher = new DayFingerprinter();
    hasher.add(ticks([[DAY_US, 1]]));
    expect(() => hasher.add(ticks([[1, 1]]))).to.throw('ticks of an earlier day');
  });
});
