import { expect } from 'chai';
import fc from 'fast-check';
import { CleanSink } from '../../src/cli/files/CleanSink.ts';
import { SpikeWatch } from '../../src/ticks/import/SpikeWatch.ts';

const QUIET = 220;

/** A quiet market of about 200 ticks, then moves, spikes and everything between, as random factors of the quiet price. */
const drawn = fc.array(fc.constantFrom(1, 1, 1, 1.0004, 1.001, 1.004, 1.01, 1.012, 1.05, 1.2), { minLength: 1, maxLength: 60 });
const pricesOf = (factors: readonly number[]): number[] => [
  ...Array.from({ length: QUIET }, (_, i) => 100 + ((i * 7) % 11) / 1000),
  ...factors.map((factor, i) => (100 + ((i * 7) % 11) / 1000) * factor),
];

function spikesIn(prices: readonly number[]): number {
  const watch = new SpikeWatch();
  prices.forEach((price, i) => void watch.add(i, price));
  return watch.ticks;
}

function cleaned(prices: readonly number[], blockTicks: number): { prices: number[]; spikes: number } {
  const out: number[] = [];
  const sink = new CleanSink({ add: (_timesUs, block) => void out.push(...block) }, { crossed: true, spikes: true });
  for (let from = 0; from < prices.length; from += blockTicks) {
    const block = Float64Array.from(prices.slice(from, from + blockTicks));
    sink.add(
      block.map((_, i) => from + i),
      block,
    );
  }
  sink.end();
  return { prices: out, spikes: sink.spikes };
}

describe('CleanSink', () => {
  it('removes every spike and passes on all other ticks, in blocks of any length', () => {
    let met = 0;
    fc.assert(
      fc.property(drawn, fc.integer({ min: 1, max: 300 }), (factors, blockTicks) => {
        const prices = pricesOf(factors);
        const clean = cleaned(prices, blockTicks);
        met += clean.spikes;
        expect(spikesIn(clean.prices)).to.equal(0);
        expect(clean.prices.length + clean.spikes).to.equal(prices.length);
        expect(cleaned(clean.prices, 7)).to.deep.equal({ prices: clean.prices, spikes: 0 });
        if (spikesIn(prices) === 0) expect(clean.prices).to.deep.equal(prices);
      }),
      { numRuns: 300 },
    );
    expect(met).to.be.above(100);
  });
});
