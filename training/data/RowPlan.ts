import type { TickSeries } from '../../src/ticks/TickSeries.ts';
import { thinToBars } from './BarCloses.ts';
import { augment, type Augmentation } from './augment.ts';
import type { RowSet } from './RowSet.ts';
import type { TickSource } from './TickSource.ts';

/** A candidate window: raw ticks [from, origin] with the horizon `horizonS`. */
export type PlannedWindow = {
  readonly from: number;
  readonly origin: number;
  readonly horizonS: number;
  /** ln(theta / theta*) of the draws after the default. */
  readonly logThetaRatios: readonly number[];
};

/** Candidate windows of one series. */
export type PlanBlock = {
  /** Index of the source and of its segment. */
  readonly source: number;
  readonly segment: number;
  /** Seconds of the bars that the segment is thinned to; 0 for all ticks. Positions refer to the thinned series. */
  readonly barS: number;
  /** A change of the ticks that makes another kind of market of them; only in training. */
  readonly augmentation?: Augmentation;
  readonly windows: readonly PlannedWindow[];
};

export type RowPlan = {
  /** Ordered by source, segment and bars. */
  readonly blocks: readonly PlanBlock[];
  /** Total number of windows. */
  readonly count: number;
  /** Thresholds per row, including the default. */
  readonly draws: number;
};

export function planOf(blocks: readonly PlanBlock[], draws: number): RowPlan {
  const filled = blocks.filter(({ windows }) => windows.length > 0);
  return { blocks: filled, draws, count: filled.reduce((sum, { windows }) => sum + windows.length, 0) };
}

/** One in `every` windows of each block. */
export function thinPlan({ blocks, draws }: RowPlan, every: number): RowPlan {
  const thinned = blocks.map((block) => ({ ...block, windows: block.windows.filter((_, at) => at % every === 0) }));
  return planOf(thinned, draws);
}

/**
 * The windows of several plans with equal numbers of thresholds, in the order in which rows are made. Throws RangeError for no plan or
 * different numbers.
 */
export function joinPlans(plans: readonly RowPlan[]): RowPlan {
  const draws = plans[0]?.draws ?? 0;
  if (plans.length === 0 || plans.some((plan) => plan.draws !== draws)) throw new RangeError('joinPlans: the numbers of thresholds differ');
  const blocks = plans.flatMap((plan) => plan.blocks).sort((a, b) => a.source - b.source || a.segment - b.segment || a.barS - b.barS);
  return planOf(blocks, draws);
}

/** The key of a row, unique in its set. */
const placeOf = (source: number, originUs: number, horizonMs: number, barS: number): string => `${source}/${originUs}/${horizonMs}/${barS}`;

/** Finds the row of a planned window; windows that could not be used have no row. */
export function rowIndex(rows: RowSet): Map<string, number> {
  const places = new Map<string, number>();
  for (let row = 0; row < rows.count; row++) {
    const horizonMs = Math.round((rows.horizonS[row] as number) * 1000);
    places.set(placeOf(rows.instrument[row] as number, rows.originUs[row] as number, horizonMs, rows.barS[row] as number), row);
  }
  return places;
}

/** The key of the row of a planned window; its horizon is in whole milliseconds, as in a request. */
export function placeOfWindow({ timesUs }: TickSeries, { source, barS }: PlanBlock, { origin, horizonS }: PlannedWindow): string {
  return placeOf(source, Math.floor(timesUs[origin] / 1000) * 1000, Math.floor(horizonS * 1000 + 1e-6), barS);
}

export type PlannedSeries = {
  readonly block: PlanBlock;
  /** The series that the positions of the block refer to: valid until the next block. */ readonly series: TickSeries;
};

/** The series that the positions of a block refer to, from the ticks of its segment. */
export function seriesOf({ barS, augmentation }: Pick<PlanBlock, 'barS' | 'augmentation'>, series: TickSeries): TickSeries {
  if (augmentation !== undefined) return augment(series, augmentation);
  return barS === 0 ? series : thinToBars(series, barS);
}

/** The blocks of a plan in order, each with its ticks, thinned or augmented if the block requires it. Sources without a block are not read. */
export function* walkPlan(sources: readonly TickSource[], { blocks }: RowPlan): Generator<PlannedSeries> {
  for (const [at, source] of sources.entries()) {
    const ofSource = blocks.filter((block) => block.source === at);
    if (ofSource.length === 0) continue;
    let number = 0;
    for (const { series } of source.segments()) {
      for (const block of ofSource) if (block.segment === number) yield { block, series: seriesOf(block, series) };
      number++;
    }
  }
}
