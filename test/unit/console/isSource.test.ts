import { expect } from 'chai';
import { isSource } from '../../../src/console/ticks/isSource.ts';

const SERIES = { timesUs: Float64Array.of(1e15, 1e15, 2e15), prices: Float64Array.of(1, 2, 3) };
const SOURCE = { kind: 'file', name: 'a.csv', text: '', notes: [], zone: 'UTC', series: SERIES };
const withTimes = (...timesUs: number[]) => ({ ...SOURCE, series: { ...SERIES, timesUs: Float64Array.from(timesUs) } });
const withPrices = (...prices: number[]) => ({ ...SOURCE, series: { ...SERIES, prices: Float64Array.from(prices) } });

describe('the ticks that a browser kept', () => {
  it('are those of a source', () => {
    expect(isSource(structuredClone(SOURCE))).to.equal(true);
  });

  const wrong: Record<string, unknown> = {
    nothing: undefined,
    null: null,
    'a text': 'x',
    'another kind': { ...SOURCE, kind: 'x' },
    'no name': { ...SOURCE, name: 1 },
    'no notes': { ...SOURCE, notes: null },
    'no series': { ...SOURCE, series: null },
    'a list': { ...SOURCE, series: { ...SERIES, prices: [1, 2, 3] } },
    'no ticks': { ...SOURCE, series: { timesUs: new Float64Array(), prices: new Float64Array() } },
    'another length': withPrices(1, 2),
    'a price of 0': withPrices(1, 0, 2),
    'a price that is none': withPrices(1, NaN, 2),
    'times that go back': withTimes(2e15, 1e15, 3e15),
    'a time that is none': withTimes(1e15, NaN, 2e15),
    'a time before 1970': withTimes(-1, 1e15, 2e15),
    'a time after all years': withTimes(1e15, 2e15, 1e300),
  };
  for (const [name, kept] of Object.entries(wrong))
    it(`are not read with ${name}`, () => {
      expect(isSource(kept)).to.equal(false);
    });
});
