import type { LoggedForecast } from './ForecastLog.ts';

const COLUMNS = [
  'series',
  'id',
  'n',
  'timestamp',
  'future',
  'status',
  'probability',
  'decision_threshold',
  'min_move_bps',
  'reasons',
  'model',
  'moved',
  'move_bps',
  'outcome_reason',
] as const;

/** Forecasts with their outcomes as CSV, oldest first. Names and codes contain no comma, so nothing needs quotes. */
export function writeForecastCsv(rows: readonly LoggedForecast[]): string {
  const lines = rows.map(({ message, status, outcome }) =>
    [
      message.series,
      message.id,
      message.n,
      message.timestamp,
      message.future,
      status,
      message.probability,
      message.decision_threshold === null ? null : rounded(message.decision_threshold),
      message.min_move_bps,
      message.reasons.join(' '),
      message.model,
      outcome === null ? 'pending' : outcome.moved,
      outcome?.move_bps,
      outcome?.reason,
    ]
      .map((value) => value ?? '')
      .join(','),
  );
  return [COLUMNS.join(','), ...lines, ''].join('\n');
}

/** Without the rounding error of the logistic function: 0.1, not 0.10000000000000002. */
const rounded = (threshold: number): number => Number(threshold.toPrecision(12));
