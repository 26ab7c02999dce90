import { CONTEXT_COLUMN_NAMES } from '../../src/engine/features/columns.ts';
import { featuresOf } from './buildFeatures.ts';
import { walkTicks } from './walkTicks.ts';

const digits = (value: number): number => Number(value.toPrecision(9));

/** The features of the window of the golden file: 500 ticks of the lattice walk, seed 2024, one minute, theta*. */
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
    context: Object.fromEntries(CONTEXT_COLUMN_NAMES.map((name, i) => [name, digits(context[i]!)])),
    sequence: Array.from({ length: 96 }, (_, row) => [...sequence.subarray(row * 10, row * 10 + 10)].map(digits).join(' ')),
  };
}
