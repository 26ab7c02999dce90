import type { TickSeries } from '../../src/ticks/TickSeries.ts';
import { thinToBars } from './BarCloses.ts';
import { augment, type Augmentation } from './augment.ts';
import type { RowSet } from './RowSet.ts';
import type { TickSource } from './TickSource.ts';

/** Candidate windows of one series: raw ticks [from, origin] with the horizon `horizonS` and given thresholds. */
export type PlanBlock = {
  /** Index of the source and of its segment. */
  readonly source: number;
  readonly segment: number;
  /** Seconds of the bars that the segment is thinned to; 0 for all ticks. Positions refer to the thinned series. */
  readonly barS: number;
  /** A change of the ticks that makes another kind of market of them; only in training. */
  readonly augmentation?: Augmentation;
  readonly from: Int32Array;
  readonly origin: Int32Array;
  readonly horizonS: Float64Array;
  /** ln(theta / theta*) of the draws after the default, [windows, draws - 1]. */
  readonly logThetaRatios: Float64Array;
};

export type RowPlan = {
  /** Ordered by source, segment and bars. */
  readonly blocks: readonly PlanBlock[];
  /** Total number of windows. */
  readonly count: number;
  /** Thresholds per row, including the default. */
  readonly draws: number;
};

export type PlannedWindow = {
  readonly from: number;
  readonly origin: number;
  readonly horizonS: number;
  readonly logThetaRatios: readonly number[];
};

export function packBlock(
  place: Pick<PlanBlock, 'source' | 'segment' | 'barS' | 'augmentation'>,
  windows: readonly PlannedWindow[],
): PlanBlock {
  return {
    ...place,
    from: Int32Array.from(windows, ({ from }) => from),
    origin: Int32Array.from(windows, ({ origin }) => origin),
    horizonS: Float64Array.from(windows, ({ horizonS }) => horizonS),
    logThetaRatios: Float64Array.from(windows.flatMap(({ logThetaRatios }) => logThetaRatios)),
  };
}

export function planOf(blocks: readonly PlanBlock[], draws: number): RowPlan {
  const filled = blocks.filter(({ origin }) => origin.length > 0);
  return { blocks: filled, draws, count: filled.reduce((sum, { origin }) => sum + origin.length, 0) };
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

/** The key of the row of a planned window. */
export function placeOfWindow({ timesUs }: TickSeries, block: PlanBlock, window: number): string {
  const originUs = Math.floor((timesUs[block.origin[window] as number] as number) / 1000) * 1000;
  return placeOf(block.source, originUs, horizonMsOf(block, window), block.barS);
}

/** Horizon of a planned window in whole milliseconds, as in a request. */
function horizonMsOf({ horizonS }: PlanBlock, window: number): number {
  return Math.floor((horizonS[window] as number) * 1000 + 1e-6);
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
