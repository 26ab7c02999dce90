import { CONTEXT_COLUMN_NAMES } from '../../src/engine/features/columns.ts';
import type { TickSeries } from '../../src/ticks/TickSeries.ts';
import { featuresOf } from './buildFeatures.ts';
import { walkTicks } from './walkTicks.ts';

const digits = (value: number): number => Number(value.toPrecision(9));

/** Calm stretches, a jump in the middle, and others between. */
function jumpyTicks(): TickSeries {
  const { timesUs, prices } = walkTicks({ seed: 7, count: 900, meanGapMs: 900, maxSteps: 2 });
  return { timesUs, prices: prices.map((price, i) => (i % 300 < 200 ? 1.38 : price) + (i > 420 ? 0.002 : 0)) };
}

/** Few ticks, rising, around a pause of the market of 15 minutes. */
function sparseTicks(): TickSeries {
  const { timesUs, prices } = walkTicks({ seed: 11, count: 260, meanGapMs: 9000, maxSteps: 40 });
  return { timesUs: timesUs.map((us, i) => us + (i > 150 ? 900e6 : 0)), prices: prices.map((price, i) => price * (1 + i * 1e-5)) };
}

const contextOf = (context: Float32Array): Record<string, number> =>
  Object.fromEntries(CONTEXT_COLUMN_NAMES.map((name, i) => [name, digits(context[i])]));

/** The features of the golden file: of 500 ticks of the lattice walk, seed 2024, one minute, theta*; of two other windows the context. */
export function goldenFeatures() {
  const { measures, sequence, context } = featuresOf(walkTicks({ seed: 2024, count: 500 }), 60_000);
  const { sigmas, quantileMove, cost, thetaDefault, distinctTicks, medianGapS } = measures;
  return {
    madeBy: 'test/golden/makeFeatures.ts',
    window: 'walkTicks({ seed: 2024, count: 500 }), horizon 60 s, theta = theta*',
    measures: {
      distinctTicks,
      medianGapS,
      sigmas: sigmas.map(digits),
      quantileMove: digits(quantileMove),
      cost: digits(cost),
      thetaDefault: digits(thetaDefault),
    },
    context: contextOf(context),
    sequence: Array.from({ length: 96 }, (_, row) => [...sequence.subarray(row * 10, row * 10 + 10)].map(digits).join(' ')),
    // Between them, no column stays at its limit, and the horizon is not a minute, which hides a factor.
    jumpy: contextOf(featuresOf(jumpyTicks(), 200_000, 0.6).context),
    sparse: contextOf(featuresOf(sparseTicks(), 3000, 2.5).context),
  };
}
