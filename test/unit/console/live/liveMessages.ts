import type { LiveMessage, LiveScore } from '../../../../clients/typescript/src/index.ts';
import type { ForecastMessage, OutcomeMessage } from '../../../../src/console/live/ForecastLog.ts';

/** Messages of a live connection for tests of the console. */
export const forecast = (change: Partial<ForecastMessage> = {}): ForecastMessage => ({
  type: 'forecast',
  series: 'ticks',
  id: '60s',
  n: 0,
  last_tick: '1970-01-01 00:00:10.000',
  timestamp: '1970-01-01 00:00:10.000',
  future: '1970-01-01 00:01:10.000',
  trend_identified: null,
  status: 'none',
  probability: 0.25,
  decision_threshold: 0.5,
  min_move_bps: 2.5,
  reasons: ['below_threshold'],
  model: 'base',
  ...change,
});

export const mark = (change: Partial<ForecastMessage> = {}): ForecastMessage =>
  forecast({ trend_identified: 1, status: 'identified', probability: 0.75, reasons: [], ...change });

export const outcome = (change: Partial<OutcomeMessage> = {}): OutcomeMessage => ({
  type: 'outcome',
  series: 'ticks',
  id: '60s',
  n: 0,
  moved: true,
  move_bps: 3.2,
  ...change,
});

export const score = (change: Partial<LiveScore> = {}): Extract<LiveMessage, { readonly type: 'score' }> => ({
  type: 'score',
  series: 'ticks',
  scores: [
    {
      ...{
        id: '60s',
        since: '1970-01-01 00:00:00.000',
        forecasts: 4,
        outcomes: 3,
        unscored: 0,
        marks: 2,
        hits: 1,
        hit_interval: [0.12, 0.88],
        base_rate: 1 / 3,
      },
      ...{ brier: 0.2, baseline_brier: 0.25, base_rate_brier: 0.3, difference: 0.05, interval: [-0.01, 0.11] },
      ...{ base_rate_difference: 0.1, base_rate_interval: [0.04, 0.16], rival: 'baseline', conclusion: 'too_few' },
      ...change,
    },
  ],
});

const limits = {
  ...{ series_per_connection: 8, forecasts_per_series: 8, pending_outcomes: 4096 },
  ...{ ticks_per_message: 3000, ticks_kept: 3000, least_ticks: 199 },
};
export const opened: LiveMessage = { type: 'opened', series: 'ticks', forecasts: [], model: null, limits };
