import { countText, percentText } from '../answer/describeAnswer.ts';
import type { CalibrationBin } from '../replay/curves.ts';
import { parseTimestamp } from '../ticks/timeText.ts';
import { ENTRY_DELAY_US } from '../ticks/labelOutcome.ts';
import type { LoggedForecast } from './ForecastLog.ts';

/** Fewest outcomes of a bin. */
const MIN_PER_BIN = 10;
const MOST_BINS = 10;

/** A probability and whether the price moved, as the calibration of a replay takes them. */
export type LiveScored = { readonly probability: number; readonly moved: boolean };

/** The forecasts whose outcome is known. Of one horizon, no two that overlap: they would be one piece of evidence counted twice. */
export function scoredOf(rows: readonly LoggedForecast[]): LiveScored[] {
  const endsUs = new Map<string, number>();
  const found: LiveScored[] = [];
  for (const { message, outcome } of rows) {
    const { id, probability } = message;
    const moved = outcome?.moved ?? null;
    if (probability === null || moved === null) continue;
    const startUs = parseTimestamp(message.timestamp) ?? 0;
    if (startUs < (endsUs.get(id) ?? -Infinity)) continue;
    endsUs.set(id, (parseTimestamp(message.future) ?? 0) + ENTRY_DELAY_US);
    found.push({ probability, moved });
  }
  return found;
}

/** How many bins so many outcomes fill. */
export const binsFor = (outcomes: number): number => Math.min(MOST_BINS, Math.floor(outcomes / MIN_PER_BIN));

/** The plot in words. */
export function calibrationText(bins: readonly CalibrationBin[]): string {
  if (bins.length === 0) return `Fewer than ${MIN_PER_BIN} outcomes that do not overlap: too few for a calibration.`;
  const parts = bins.map(
    ({ mean, observed }) => `around ${percentText(mean)}, ${percentText(observed.share)} moved (${countText(observed.of, 'outcome')})`,
  );
  return `Of the forecasts with a probability ${parts.join('; ')}.`;
}
