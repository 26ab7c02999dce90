import { leftOutBars } from '../training/bars/leftOutBars.ts';
import { readBarPlan } from '../training/bars/barPlan.ts';
import { barTables } from '../training/bars/barTables.ts';
import type { Bench } from './Bench.ts';

/** A file of series, as in docs/benchmarks/candles.md. */
const PLAN = process.env['CANDLES'] ?? '';

export const bench: Bench = {
  name: 'candles',
  about: 'Forecasts from bars on groups of series that were left out of the fit; --only=closes leaves out highs and lows.',
  async run(only) {
    if (PLAN === '') throw new Error('CANDLES must name a file of series: docs/benchmarks/candles.md shows one.');
    const plan = readBarPlan(PLAN);
    const closes = only === 'closes';
    const { model, leftOut } = await leftOutBars(plan, { closes, log: (line) => process.stderr.write(`${line}\n`) });
    return {
      about: [
        `${plan.length} series in ${new Set(plan.map(({ group }) => group)).size} groups; each is answered by heads that were fitted without its group, by the served code, at the default threshold, at origins whose outcomes do not overlap.`,
        closes ? 'Windows of 200 to 500 closes, without highs and lows.' : 'Windows of 200 to 500 bars with open, high, low and close.',
        `Series that take no part in any fit: ${
          plan
            .filter(({ trains }) => trains === false)
            .map(({ name }) => name)
            .join(', ') || 'none'
        }.`,
      ],
      tables: barTables(leftOut, model.heads),
    };
  },
};
