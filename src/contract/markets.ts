import type { Static } from 'typebox';
import { Type } from '../core/schema.ts';
import { StatusSchema } from './forecastDetail.ts';
import { NullReasonSchema, oneOf } from './reasons.ts';
import { count, probability } from './liveFields.ts';
import { LiveScoreSchema } from './liveScore.ts';
import { AlertRuleSchema } from './alertRule.ts';
import { BARS_PATTERN, DURATION_PATTERN } from './duration.ts';

export const MARKET_KINDS = ['trades', 'quotes', 'bars'] as const;
const MARKET_STATES = ['connecting', 'live', 'gap', 'stopped', 'failed'] as const;
/** Most horizons of a market, and forecasts of one page. */
export const MARKET_HORIZONS = 8;
export const MARKET_PAGE = 1000;

const isoTime = (description = '') => Type.String({ description: `${description} ISO 8601, UTC.`.trim() });

const kind = (about?: string) => oneOf(MARKET_KINDS, about ?? 'trades, quotes or bars.');
/** `about`: absent where another schema says it. */
const cost = (about?: string) => Type.Nullable(Type.Number({ exclusiveMinimum: 0, maximum: 10_000, ...(about && { description: about }) }));
const horizons = (about?: string) =>
  Type.Array(Type.String({ pattern: `${DURATION_PATTERN}|${BARS_PATTERN}` }), {
    ...{ minItems: 1, maxItems: MARKET_HORIZONS },
    ...(about && { description: about }),
  });
const interval = (about?: string) => Type.String({ pattern: `${DURATION_PATTERN}|^tick$`, ...(about && { description: about }) });

export const MarketRequestSchema = Type.Object({
  exchange: Type.String({
    pattern: '^([a-z]{1,20}|ccxt:[a-z0-9]{1,32})$',
    description: 'Such as binance; or ccxt:NAME where the package ccxt is installed.',
  }),
  symbol: Type.String({
    pattern: '^[A-Z0-9]{1,20}/[A-Z0-9]{1,20}$',
    description: 'Such as BTC/USDT.',
  }),
  kind: Type.Optional(kind('Default: trades. quotes: the mid of best bid and ask. bars: made of trades by the service.')),
  period: Type.Optional(Type.String({ pattern: DURATION_PATTERN, description: 'Length of the bars; default: 1m.' })),
  horizons: horizons('Up to 8 different ones: 60s, 5m, of bars 3bars.'),
  every: Type.Optional(interval('As `every` of a live forecast; default: 5s, of bars tick.')),
  cost_bps: Type.Optional(
    cost('Cost of a trade there and back, basis points: the threshold of its forecasts. null, the default: that of each window.'),
  ),
  alert: Type.Optional(Type.Nullable(AlertRuleSchema)),
});
export type MarketRequestBody = Static<typeof MarketRequestSchema>;

export const MarketChangeSchema = Type.Object(
  {
    horizons: Type.Optional(horizons()),
    every: Type.Optional(interval()),
    cost_bps: Type.Optional(cost()),
    alert: Type.Optional(Type.Nullable(AlertRuleSchema)),
  },
  { description: 'As in MarketRequestBody. What is left out stays. A change counts from the next forecast on.' },
);
export type MarketChangeBody = Static<typeof MarketChangeSchema>;

export const MarketForecastSchema = Type.Object({
  n: Type.Integer({ minimum: 0, description: 'Number of the forecast.' }),
  change: Type.Integer({
    minimum: 1,
    description: 'Number of its last change, such as its outcome.',
  }),
  horizon: Type.String(),
  last_tick: Type.String({ description: 'The last tick that it used.' }),
  price: Type.Number(),
  future: Type.String({ description: 'The future timestamp.' }),
  probability: probability(),
  volatility_probability: Type.Nullable(Type.Number({ description: 'Of volatility alone.' })),
  usual_rate: Type.Nullable(
    Type.Number({
      description: 'Moves above the threshold per outcome so far; null: no outcome.',
    }),
  ),
  decision_threshold: probability(),
  min_move_bps: Type.Nullable(Type.Number({ description: 'The threshold.' })),
  marked: Type.Boolean({ description: 'Whether the forecast is 1.' }),
  status: StatusSchema,
  reasons: Type.Array(NullReasonSchema, { description: 'Empty for a mark.' }),
  model: Type.String(),
  outcome: Type.Nullable(
    Type.Object(
      {
        moved: Type.Nullable(Type.Boolean()),
        move_bps: Type.Nullable(Type.Number()),
        reason: Type.Nullable(Type.String({ description: 'Why moved is null: as of a live outcome, or missing_ticks.' })),
      },
      { description: 'As of a live outcome; null: not known yet.' },
    ),
  ),
});
export type MarketForecast = Static<typeof MarketForecastSchema>;

export const MarketSchema = Type.Object({
  ...{ id: Type.String(), exchange: Type.String(), symbol: Type.String(), kind: kind(), period: Type.Nullable(Type.String()) },
  ...{ horizons: Type.Array(Type.String()), every: Type.String(), cost_bps: Type.Nullable(Type.Number()) },
  alert: Type.Nullable(AlertRuleSchema),
  series: Type.String({ description: 'Names its series in the track record.' }),
  created_at: isoTime(),
  state: oneOf(
    MARKET_STATES,
    'connecting: no tick yet. gap: ticks are missing; forecasts begin again with 199 new ones. stopped: by FEEDS or FEED_HOSTS. failed: tried again.',
  ),
  reason: Type.Nullable(Type.String({ description: 'Why, in words.' })),
  since: isoTime('Of this state.'),
  last_tick: Type.Nullable(Type.String()),
  price: Type.Nullable(Type.Number({ description: 'Of the last tick.' })),
  ticks: Type.Integer({ minimum: 0, description: 'Kept ones; forecasts start at 199.' }),
  spread_bps: Type.Nullable(Type.Number({ description: 'Median of the last quotes; null: not of quotes.' })),
  forecasts: Type.Array(
    Type.Object({ horizon: Type.String(), last: Type.Nullable(MarketForecastSchema), score: Type.Nullable(LiveScoreSchema) }),
    {
      description: 'One of each horizon; the score is since the threshold was set.',
    },
  ),
});
export type MarketAnswer = Static<typeof MarketSchema>;

export const MarketListSchema = Type.Object({ markets: Type.Array(MarketSchema) });
export type MarketListAnswer = Static<typeof MarketListSchema>;

const prices = Type.Array(Type.Number());
export const MarketTicksSchema = Type.Object(
  {
    first: count(),
    ...{ Timestamp: Type.Array(Type.String()), Price: prices },
    ...{ Open: Type.Optional(prices), High: Type.Optional(prices), Low: Type.Optional(prices) },
  },
  { description: 'Kept ticks or bars; `first` numbers the first one: above `ticks_from` where some are missing.' },
);
export type MarketTicks = Static<typeof MarketTicksSchema>;

export const MarketForecastsSchema = Type.Object(
  {
    forecasts: Type.Array(MarketForecastSchema, { description: 'In the order of `change`; one with a known `n` replaces it.' }),
    last: count(),
    more: Type.Boolean({ description: 'Whether another page follows `last`.' }),
    ticks: Type.Optional(MarketTicksSchema),
  },
  { description: 'What changed after a change: ask again with `?after=` and `last`.' },
);
export type MarketForecastsAnswer = Static<typeof MarketForecastsSchema>;

const FORECAST_EXAMPLE: MarketForecast = {
  ...{ n: 41, change: 57, horizon: '5m', last_tick: '2024-01-02 09:33:15.012', price: 42_017.5, future: '2024-01-02 09:38:15.012' },
  ...{
    probability: 0.41,
    volatility_probability: 0.33,
    usual_rate: 0.12,
    decision_threshold: 0.36,
    min_move_bps: 8.1,
    marked: true,
    status: 'identified',
    reasons: [],
  },
  ...{ model: 'base-2026-11-27', outcome: null },
};

export const MARKET_EXAMPLE: MarketAnswer = {
  ...{ id: '5f0d2c1e-8d0e-4a6d-9f0e-52f1c0a7d0b1', exchange: 'binance', symbol: 'BTC/USDT', kind: 'trades', period: null },
  ...{ horizons: ['5m'], every: '5s', cost_bps: 8.1, alert: null, series: 'binance:BTC-USDT', created_at: '2024-01-02T09:00:00.000Z' },
  ...{ state: 'live', reason: null, since: '2024-01-02T09:00:02.000Z', last_tick: '2024-01-02 09:33:18.000', price: 42_019.9 },
  ...{ ticks: 3000, spread_bps: null, forecasts: [{ horizon: '5m', last: FORECAST_EXAMPLE, score: null }] },
};

export const MARKET_FORECASTS_EXAMPLE: MarketForecastsAnswer = { forecasts: [FORECAST_EXAMPLE], last: 57, more: false };
