/** Candidate windows of one series: raw ticks [from, origin] with the horizon `horizonS` and given thresholds. */
export type PlanBlock = {
  /** Index of the source and of its segment. */
  readonly source: number;
  readonly segment: number;
  /** Seconds of the bars that the segment is thinned to; 0 for all ticks. Positions refer to the thinned series. */
  readonly barS: number;
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

export function packBlock(place: Pick<PlanBlock, 'source' | 'segment' | 'barS'>, windows: readonly PlannedWindow[]): PlanBlock {
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
