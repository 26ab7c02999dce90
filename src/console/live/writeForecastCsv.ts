import { csvText } from '../csvText.ts';
import type { LoggedForecast } from './ForecastLog.ts';

const COLUMNS = [
  ...['series', 'id', 'n', 'timestamp', 'future', 'status', 'probability', 'decision_threshold', 'min_move_bps', 'reasons', 'model'],
  ...['moved', 'move_bps', 'outcome_reason'],
];

/** Forecasts with their outcomes as CSV, oldest first. */
export const writeForecastCsv = (rows: readonly LoggedForecast[]): string =>
  csvText(
    COLUMNS,
    rows.map(({ message, status, outcome }) => {
      const { series, id, n, timestamp, future, probability, decision_threshold: threshold, min_move_bps: bps, reasons, model } = message;
      // Without the rounding error of the logistic function: 0.1, not 0.10000000000000002.
      const rounded = threshold === null ? null : Number(threshold.toPrecision(12));
      return [
        ...[series, id, n, timestamp, future, status, probability, rounded, bps, reasons.join(' '), model],
        ...[outcome === null ? 'pending' : outcome.moved, outcome?.move_bps, outcome?.reason],
      ];
    }),
  );
