/** What a sealed record says of a forecast, so that its outcome can be computed from ticks. Times in ms, cut down. */
export type SealableForecast = {
  readonly originMs: number;
  readonly endMs: number;
  readonly minMoveBps: number;
  readonly probability: number;
  readonly baselineProbability: number;
  readonly isMarked: boolean;
  readonly ownThreshold: boolean;
  /** Id of the version. */
  readonly model: string;
  /** Gaps above this are pauses of the market. */
  readonly pauseS: number;
  /** 0: of ticks. */
  readonly barPeriodMs: number;
};

/**
 * A forecast, or with `moved` its outcome, which is that of every forecast with the same series, origin, horizon and threshold. Short and with
 * few long numbers: it is written for each forecast. Probabilities are in millionths.
 */
export function sealedLine(series: string, of: SealableForecast, moved?: boolean): string {
  const { originMs, endMs, minMoveBps, probability, baselineProbability, isMarked, ownThreshold, model, pauseS, barPeriodMs } = of;
  // No name contains a character that JSON escapes.
  const key = `"${series}",${originMs},${endMs - originMs},${minMoveBps}`;
  if (moved !== undefined) return `["o",${key},${moved ? 1 : 0}]`;
  const [made, baseline] = [Math.round(1e6 * probability), Math.round(1e6 * baselineProbability)];
  return `["f",${key},${made},${baseline},${isMarked ? 1 : 0},${ownThreshold ? 1 : 0},"${model}",${pauseS},${barPeriodMs}]`;
}
