import type { ClientMessage, ClientMessageType, ServerMessage, ServerMessageType } from './live.ts';
import { LIVE_MESSAGE_TICKS } from './liveTicks.ts';
import { EXAMPLE_MODEL_ID } from './exampleIds.ts';

const [T0, T1] = ['2024-01-02 09:32:00.478', '2024-01-02 09:32:00.903'];

/** One example of each client message, in the order of a conversation. */
export const CLIENT_EXAMPLES: { readonly [T in ClientMessageType]: ClientMessage<T> } = {
  auth: { type: 'auth', api_key: 'tkm_live_…' },
  open: { type: 'open', series: 'BTCUSDT', forecasts: [{ horizon: '60s', every: '5s' }] },
  ticks: { type: 'ticks', series: 'BTCUSDT', Timestamp: [T0, T1], Price: [42_950.5, 42_951] },
  bars: {
    ...{ type: 'bars', series: 'BTCUSDT-1m', Timestamp: ['2024-01-02 09:32:00', '2024-01-02 09:33:00'] },
    ...{ Open: [42_948, 42_950.5], High: [42_953, 42_951], Low: [42_947.5, 42_940], Close: [42_950.5, 42_944] },
  },
  ask: { type: 'ask', series: 'BTCUSDT', horizon: '60s', min_move_bps: 2.5 },
  score: { type: 'score', series: 'BTCUSDT' },
  watch: { type: 'watch' },
  close: { type: 'close', series: 'BTCUSDT' },
};

/** One example of each message of the service. */
export const SERVER_EXAMPLES: { readonly [T in ServerMessageType]: ServerMessage<T> } = {
  opened: {
    ...{ type: 'opened', series: 'BTCUSDT', forecasts: [{ id: '60s', horizon: '60s', every: '5s', min_move_bps: null }], model: null },
    limits: {
      ...{ series_per_connection: 64, forecasts_per_series: 8, pending_outcomes: 4096 },
      ...{ ticks_per_message: LIVE_MESSAGE_TICKS, ticks_kept: LIVE_MESSAGE_TICKS, least_ticks: 199 },
    },
  },
  forecast: {
    ...{ type: 'forecast', series: 'BTCUSDT', id: '60s', n: 0, last_tick: T1, timestamp: T1, future: '2024-01-02 09:33:00.903' },
    ...{
      trend_identified: 1,
      status: 'identified',
      probability: 0.41,
      decision_threshold: 0.36,
      min_move_bps: 1.9,
      reasons: [],
      model: EXAMPLE_MODEL_ID,
    },
  },
  outcome: { type: 'outcome', series: 'BTCUSDT', id: '60s', n: 0, moved: true, move_bps: -2.4 },
  score: {
    ...{ type: 'score', series: 'BTCUSDT' },
    scores: [
      {
        ...{
          id: '60s',
          since: T0,
          forecasts: 120,
          outcomes: 108,
          unscored: 0,
          marks: 30,
          hits: 12,
          hit_interval: [0.25, 0.57],
          base_rate: 0.25,
        },
        ...{ brier: 0.163, baseline_brier: 0.17, base_rate_brier: 0.188, difference: 0.007, interval: [-0.002, 0.016] },
        ...{ base_rate_difference: 0.025, base_rate_interval: [0.007, 0.043], rival: 'baseline', conclusion: 'too_few' },
      },
    ],
  },
  status: { type: 'status', code: 'skipped', detail: 'Forecasts were not made.', skipped: { 'limit.exceeded': 3 } },
  watched: {
    ...{ type: 'watched', dropped: 0 },
    copies: [{ source: '8f8b0b34', message: { type: 'price', series: 'BTCUSDT', last_tick: T1, timestamp: T1, price: 42_951 } }],
  },
  error: {
    ...{
      type: 'error',
      message: 'ticks',
      series: 'BTCUSDT',
      code: 'request.invalid',
      title: 'The request breaks one or more rules.',
      status: 422,
    },
    ...{ detail: 'Price[0] is 0; a price must be above 0.', requestId: '8f8b0b34-6f4f-4f0f-9f5c-0a1d3a5e9c11' },
    errors: [
      { pointer: '/Price/0', code: 'price.not_positive', detail: 'Price[0] is 0; a price must be above 0.', hint: 'Remove the entry.' },
    ],
  },
};
