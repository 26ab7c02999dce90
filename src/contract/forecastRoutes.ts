import { Type } from 'typebox';
import { exampleProblem } from './problemExamples.ts';
import { TickBatchAnswerSchema, TickBatchRequestSchema, exampleTickBatch } from './tickBatch.ts';
import { LastAnswerSchema, TickAnswerSchema, TickRequestSchema, exampleTickRequest, type LastAnswer } from './tickForecast.ts';
import { GZIP_FORECAST_FROM_BYTES, BODY_CODES, KEY_CODES, INFERENCE_CODES, type RouteSpec } from './routeSpec.ts';

const LAST_EXAMPLE: LastAnswer = {
  timestamp: '2024-01-02 09:34:18.000',
  trend_identified: null,
  status: 'abstained',
  reason: 'horizon_untrained',
};

/** Forecasts, one at a time and in batches. */
export const FORECAST_ROUTES = {
  tickForecast: {
    method: 'POST',
    path: '/auth/ti-tick',
    summary: 'Ask whether a trade opportunity is identified at a future timestamp',
    description:
      'Entries before the last are null. The last is 1 when, from the first price at least 1 s after the last tick sent to the last price at or ' +
      'before the future timestamp, a move larger than the threshold is called; else null. It says nothing of the direction. ' +
      '`?answer=last` answers the last entry alone, in about 100 bytes.',
    needsKey: true,
    limit: { name: 'forecasts', keepsOn4xx: false },
    body: { schema: TickRequestSchema, example: exampleTickRequest },
    query: ['answer', 'detail', 'min_move_bps', 'model', 'timing'],
    answer: {
      status: 200,
      description:
        'One key per submitted timestamp, verbatim; equal timestamps share one key. With `?answer=last`, one object for the future one.',
      schema: Type.Union([TickAnswerSchema, LastAnswerSchema]),
      gzipFromBytes: GZIP_FORECAST_FROM_BYTES,
      examples: {
        full: { '2024-01-02 09:33:18.000': { trend_identified: null }, '2024-01-02 09:34:18.000': { trend_identified: 1 } },
        last: LAST_EXAMPLE,
      },
    },
    errors: [...BODY_CODES, ...KEY_CODES, 'model.unknown', ...INFERENCE_CODES, 'service.not_ready'],
  },
  tickBatch: {
    method: 'POST',
    path: '/auth/ti-tick/batch',
    summary: 'Ask for up to 64 forecasts in one request',
    description:
      'Each item is a body of POST /auth/ti-tick and gets its own result, in order: the same answer byte for byte, or the problem that it would get ' +
      'alone. An item uses forecast quota as a request of its own; one beyond it gets a 429 with retryAfterSeconds, the others are answered.',
    needsKey: true,
    limit: { name: 'forecasts', keepsOn4xx: false },
    body: { schema: TickBatchRequestSchema, example: exampleTickBatch, limit: 'batch' },
    query: ['answer', 'detail', 'min_move_bps', 'model', 'timing'],
    answer: {
      status: 200,
      description: 'One result for each item; the status of the whole is 200 even where every item has a problem.',
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
