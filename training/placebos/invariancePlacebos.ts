import type { TickSeries } from '../../src/ticks/TickSeries.ts';
import { buildRow } from '../data/buildRow.ts';
import { FeatureBuilder } from '../../src/engine/features/FeatureBuilder.ts';
import { type RowPlan, planOf, seriesOf } from '../data/RowPlan.ts';
import { allocateRows, type RowSet } from '../data/RowSet.ts';
import type { TickSource } from '../data/TickSource.ts';
import type { Placebo } from '../evaluation/gate.ts';
import { type PlaceboInput, scoreRows } from './scoreRows.ts';

/** Number of checked windows. */
const SAMPLE = 100;
/** Largest allowed change: rounding of 32-bit inputs, through the network. */
const TOLERANCE = 1e-4;
const SCALES = [1e-3, 1e4] as const;
/** More than a year, so that the check detects any use of clock or calendar. */
const SHIFT_US = 400 * 86_400e6 + 12_345_000;

/** Prices in other units and shifted clocks must not change any probability. */
export function invariancePlacebos({ model, sources, plan }: PlaceboInput): Placebo[] {
  const sample = thinPlan(plan, Math.max(1, Math.floor(plan.count / SAMPLE)));
  const answer = (change: (series: TickSeries) => TickSeries): Float64Array => scoreRows(model, rowsOf(sources, sample, change)).p;
  const before = answer((series) => series);
  const largest = (after: Float64Array): number => before.reduce((most, p, i) => Math.max(most, Math.abs(p - (after[i] as number))), 0);
  const result = (name: string, what: string, change: (series: TickSeries) => TickSeries): Placebo => {
    const difference = largest(answer(change));
    return {
      name,
      holds: difference <= TOLERANCE,
      text: `${what}: the largest change of ${before.length} probabilities is ${difference.toExponential(1)}.`,
    };
  };
  return [
    ...SCALES.map((scale) =>
      result('Prices in other units', `prices × ${scale}`, ({ timesUs, prices }) => ({
        timesUs,
        prices: prices.map((price) => price * scale),
      })),
    ),
    result('A shifted clock', 'all timestamps 400 days later', ({ timesUs, prices }) => ({
      timesUs: timesUs.map((us) => us + SHIFT_US),
      prices,
    })),
  ];
}

/** One in `every` windows of each block. */
export function thinPlan(plan: RowPlan, every: number): RowPlan {
  const blocks = plan.blocks.map((block) => {
    const keep = (values: Int32Array): Int32Array => values.filter((_, at) => at % every === 0);
    const extra = plan.draws - 1;
    return {
      ...block,
      from: keep(block.from),
      origin: keep(block.origin),
      horizonS: block.horizonS.filter((_, at) => at % every === 0),
      logThetaRatios: block.logThetaRatios.filter((_, at) => Math.floor(at / extra) % every === 0),
    };
  });
  return planOf(blocks, plan.draws);
}

function rowsOf(sources: readonly TickSource[], plan: RowPlan, change: (series: TickSeries) => TickSeries): RowSet {
  const rows = allocateRows(plan.count, plan.draws);
  const builder = new FeatureBuilder();
  let used = 0;
  for (const [at, source] of sources.entries()) {
    let number = 0;
    for (const { series } of source.segments()) {
      for (const block of plan.blocks) {
        if (block.source !== at || block.segment !== number) continue;
        const ticks = change(seriesOf(block, series));
        for (let window = 0; window < block.origin.length; window++)
          if (buildRow(rows, used, ticks, block, window, builder) === 'used') used++;
      }
      number++;
    }
  }
  return { ...rows, count: used };
}
