import { Type } from '../core/schema.ts';
import { optionsAt } from './forecastOptions.ts';
import { exampleProblem } from './problem.ts';
import { TickBatchAnswerSchema, TickBatchRequestSchema, exampleTickBatch } from './tickBatch.ts';
import {
  HorizonsAnswerSchema,
  LastAnswerSchema,
  TickAnswerSchema,
  exampleTickRequest,
  type HorizonsAnswer,
  type LastAnswer,
} from './tickForecast.ts';
import { AnyTickRequestSchema } from './tickForms.ts';
import { GZIP_FORECAST_FROM_BYTES, BODY_CODES, KEY_CODES, INFERENCE_CODES, type RouteSpec } from './routeSpec.ts';

const LAST_EXAMPLE: LastAnswer = {
  timestamp: '2024-01-02 09:34:18.000',
  trend_identified: null,
  status: 'abstained',
  reason: 'horizon_untrained',
};

const HORIZONS_EXAMPLE: HorizonsAnswer = {
  forecasts: [
    {
      horizon: '60s',
      ...{
        timestamp: '2024-01-02 09:34:18.000',
        future: '2024-01-02 09:34:18.000',
        min_move_bps: 2.5,
        probability: 0.31,
        decision_threshold: 0.34,
      },
      ...{ trend_identified: null, status: 'none', reason: 'below_threshold' },
    },
  ],
};

const FORECAST_QUERY = [
  ...optionsAt('query').map(([name]) => name),
  ...(['answer', 'bar_time', 'clock', 'horizon_bars', 'horizons', 'memory', 'series', 'timing'] as const),
].sort();

/** Single forecasts and batches. */
export const FORECAST_ROUTES = {
  tickForecast: {
    method: 'POST',
    path: '/auth/ti-tick',
    tag: 'Forecasts',
    summary: 'Forecast whether there is a trade opportunity at a future timestamp',
    description:
      'Entries before the last are null. The last is 1 if a move larger than the threshold is forecast, from the first price at least 1 s after the last tick to the last one at or ' +
      'before the future timestamp; otherwise null. A mark says nothing about the direction. ' +
      '`?answer=last` returns only the last entry. `?series=NAME` adds the forecast to the track record: a later request of it, whose ' +
      'ticks contain the last tick of this one and reach beyond its future timestamp, shows the outcome. ' +
      '`?horizons=10s,60s&min_move_bps=1,2.5` computes one for each horizon and threshold, ' +
      'each equal to that of a request of its own and counted by the limit. ' +
      '`Bid` and `Ask`, or `Close` of bars with `bar_time`, may replace `Price`.',
    needsKey: true,
    limit: { name: 'forecasts', keepsOn4xx: false },
    body: { schema: AnyTickRequestSchema, example: exampleTickRequest },
    query: FORECAST_QUERY,
    answer: {
      status: 200,
      description:
        'One key per submitted timestamp, unchanged; equal timestamps have one key. With `?answer=last`, one object for the future one; with `?horizons=`, `forecasts`.',
      // The answer that any object matches comes last: generated clients take the first form that fits.
      schema: Type.Union([LastAnswerSchema, HorizonsAnswerSchema, TickAnswerSchema]),
      gzipFromBytes: GZIP_FORECAST_FROM_BYTES,
      examples: {
        full: { '2024-01-02 09:33:18.000': { trend_identified: null }, '2024-01-02 09:34:18.000': { trend_identified: 1 } },
        last: LAST_EXAMPLE,
        horizons: HORIZONS_EXAMPLE,
      },
    },
    errors: [...BODY_CODES, ...KEY_CODES, 'model.unknown', ...INFERENCE_CODES, 'service.not_ready'],
  },
  tickBatch: {
    method: 'POST',
    path: '/auth/ti-tick/batch',
    tag: 'Forecasts',
    summary: 'Compute up to 64 forecasts in one request',
    description:
      'Each item is a body of POST /auth/ti-tick and gets, in order, the same answer byte for byte, or the same problem, as a request of ' +
      'its own. Each uses one forecast of the limit; those above it get a 429 with retryAfterSeconds, and the others are answered. ' +
      '`?series=NAME` names the series of all items, `?series=A,B,C` that of each: items of one series are answered in order, so each learns from those before it. ' +
      'With `?horizons=`, items have no future entry, as there.',
    needsKey: true,
    limit: { name: 'forecasts', keepsOn4xx: false },
    body: { schema: TickBatchRequestSchema, example: exampleTickBatch, limit: 'batch' },
    query: FORECAST_QUERY,
    answer: {
      status: 200,
      description: 'One result for each item; the HTTP status is 200 even if every item has a problem.',
      schema: TickBatchAnswerSchema,
      gzipFromBytes: GZIP_FORECAST_FROM_BYTES,
      examples: {
        full: {
          results: [
            {
              status: 200,
              body: { '2024-01-02 09:33:18.000': { trend_identified: null }, '2024-01-02 09:34:18.000': { trend_identified: 1 } },
            },
            {
              status: 429,
              problem: exampleProblem('limit.exceeded'),
            },
          ],
        },
        last: { results: [{ status: 200, body: LAST_EXAMPLE }] },
      },
    },
    errors: [...BODY_CODES, ...KEY_CODES, 'model.unknown', ...INFERENCE_CODES, 'service.not_ready'],
  },
} as const satisfies Record<string, RouteSpec>;
