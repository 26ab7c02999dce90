import { groupBy } from '../../core/groupBy.ts';
import { BPS_PER_UNIT, MS_PER_SECOND, US_PER_MS } from '../../core/units.ts';
import { labelOrigin, lastAtOrBeforeMs } from '../../engine/features/labelOrigin.ts';
import { seriesBaselines } from '../../engine/scoring/SeriesBaselines.ts';
import { addForecast, addOutcome, EMPTY_TALLY } from '../../engine/live/score.ts';
import { type RecordSummary, summarizeRecord } from '../../service/live/summarizeRecord.ts';
import { firstAtOrAfter } from '../../ticks/searchTimes.ts';
import type { TickSeries } from '../../ticks/TickSeries.ts';
import type { SealedForecast } from './verifyRecord.ts';

export type RecordScore = RecordSummary & {
  /** Forecasts that were sealed before their future timestamp. */
  readonly inTime: number;
  /** Outcomes that the ticks show, those of them that the record says otherwise, and those that it leaves out. */
  readonly recomputed: number;
  readonly differing: readonly SealedForecast[];
  readonly leftOut: number;
};

/** Whether the price moved over the threshold; undefined: the ticks do not show it. */
function movedBy(ticks: TickSeries, { originMs, endMs, minMoveBps, pauseS, barPeriodMs }: SealedForecast): boolean | undefined {
  const origin = lastAtOrBeforeMs(ticks.timesUs, originMs);
  if (origin < 0 || Math.floor(ticks.timesUs[origin] / US_PER_MS) !== originMs) return undefined;
  const label = labelOrigin(ticks, origin, (endMs - originMs) / MS_PER_SECOND, pauseS, barPeriodMs);
  return label.status === 'ok' ? Math.abs(label.move) * BPS_PER_UNIT > minMoveBps : undefined;
}

/** Scores the forecasts by what the ticks show; where they show nothing, by the outcomes of the record. */
export function scoreRecord(forecasts: readonly SealedForecast[], ticks?: TickSeries): RecordScore {
  const differing: SealedForecast[] = [];
  let [tally, inTime, recomputed, leftOut] = [EMPTY_TALLY, 0, 0, 0];
  const kindOf = ({ series, model, ownThreshold, originMs, endMs }: SealedForecast): string =>
    JSON.stringify([series, model, ownThreshold, endMs - originMs]);
  for (const kind of groupBy(forecasts, kindOf).values()) {
    kind.sort((a, b) => a.originMs - b.originMs);
    const origins = Float64Array.from(kind, ({ originMs }) => originMs);
    const seen = kind.map((one) => ticks && movedBy(ticks, one));
    const outcomes = kind.map((one, i) => seen[i] ?? one.moved);
    const questions = kind.map(({ originMs, endMs, baselineProbability }, i) => ({
      ...{ atMs: originMs, endMs, version: baselineProbability, moved: outcomes[i] },
    }));
    const baselines = seriesBaselines(questions);
    for (const [i, one] of kind.entries()) {
      const shown = seen[i];
      const moved = outcomes[i];
      tally = addForecast(tally);
      if (one.sealedMs < one.endMs) inTime++;
      if (shown !== undefined) {
        recomputed++;
        if (one.moved === null) leftOut++;
        else if (one.moved !== shown) differing.push(one);
      }
      if (moved === null) continue;
      // Those whose horizons contain the end of this one, itself included.
      const overlap = firstAtOrAfter(origins, one.endMs) - firstAtOrAfter(origins, one.originMs);
      tally = addOutcome(tally, { ...one, baselines: baselines[i], moved, overlap, markOverlap: overlap });
    }
  }
  return { ...summarizeRecord([tally]), inTime, recomputed, differing, leftOut };
}
