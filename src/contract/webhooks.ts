import type { Static, TProperties } from 'typebox';
import { Type } from '../core/schema.ts';
import { ALERT_FORMATS, AlertRuleSchema } from './alertRule.ts';
import { BASE_RATE_BRIER, BASE_RATE_FIELDS } from './comparison.ts';

const format = (description: string) => Type.Optional(Type.Enum([...ALERT_FORMATS], { description }));
const FORMATS =
  'json (default): the signed JSON. Others: a message in words. url: of the bot (https://api.telegram.org/bot<token>), the incoming webhook or the topic.';
const EVENTS =
  'Default: all. forecast.marked: a mark, or what meets the rule, of a live series or of a request with ?series=. forecast.settled: what came true after it. record.worse: the record of the last 30 days is now worse than the baseline, or its ranges are too narrow.';

export const WebhookRequestSchema = Type.Object({
  url: Type.String({
    description: 'https URL of a public address, without user name or fragment; at most 2048 characters.',
    examples: ['https://hooks.example.com/tickmark'],
  }),
  events: Type.Optional(Type.Array(Type.String({ examples: ['forecast.marked'] }), { description: EVENTS })),
  rule: Type.Optional(AlertRuleSchema),
  format: format(FORMATS),
  chat_id: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'With telegram: the chat.' })),
});

export type WebhookRequestBody = Static<typeof WebhookRequestSchema>;

export const WebhookChangeSchema = Type.Object(
  {
    url: Type.Optional(Type.String()),
    events: Type.Optional(Type.Array(Type.String())),
    rule: Type.Optional(Type.Nullable(AlertRuleSchema)),
    format: Type.Optional(Type.Enum([...ALERT_FORMATS])),
    chat_id: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  },
  { description: 'As in WebhookRequestBody. What is left out stays; rule null: none.' },
);

export type WebhookChangeBody = Static<typeof WebhookChangeSchema>;

const webhook = {
  id: Type.String(),
  url: Type.String(),
  events: Type.Array(Type.String(), { description: 'As in WebhookRequestBody.' }),
  created_at: Type.String({ description: 'ISO 8601, UTC.' }),
  rule: Type.Optional(AlertRuleSchema),
  format: format('As in WebhookRequestBody.'),
  chat_id: Type.Optional(Type.String()),
};

export const WebhookSchema = Type.Object(webhook);

export type WebhookAnswer = Static<typeof WebhookSchema>;

export const WebhookListSchema = Type.Object({ webhooks: Type.Array(WebhookSchema) });

export const AddedWebhookSchema = Type.Object({
  message: Type.String(),
  ...webhook,
  secret: Type.String({ description: 'Signs the alerts. Shown only in this answer.' }),
});

export const WEBHOOK_MESSAGE = 'The webhook was added. Its secret is displayed only once: save it now, it cannot be shown again.';

export const WebhookTestSchema = Type.Object({
  delivered: Type.Boolean({ description: 'Whether the target answered with a 2xx status.' }),
  status: Type.Nullable(Type.Integer(), { description: 'HTTP status of the target; null: there was no answer.' }),
  error: Type.Nullable(Type.String(), { description: 'Why it was not delivered.' }),
});

export const FailedAlertsSchema = Type.Object({
  failed: Type.Array(
    Type.Object({
      id: Type.String({ description: 'The webhook-id of its attempts.' }),
      type: Type.String(),
      created_at: Type.String({ description: 'ISO 8601, UTC.' }),
      failed_at: Type.String({ description: 'ISO 8601, UTC.' }),
      attempts: Type.Integer({ minimum: 0 }),
      error: Type.Nullable(Type.String(), { description: 'Of the last attempt.' }),
    }),
    { description: 'Alerts that were given up, newest first; the newest 100 are kept.' },
  ),
});

export type FailedAlertsAnswer = Static<typeof FailedAlertsSchema>;

export const WEBHOOK_EXAMPLE: WebhookAnswer = {
  id: '3c0e3f52-8d0e-4a6d-9f0e-52f1c0a7d0b1',
  url: 'https://hooks.example.com/tickmark',
  events: ['forecast.marked', 'forecast.settled', 'record.worse'],
  created_at: '2024-01-02T09:33:18.000Z',
};

export const FAILED_ALERTS_EXAMPLE: FailedAlertsAnswer = {
  failed: [
    {
      id: 'msg_7d1f2c1e-9d0b-4a43-8f3c-2f6a3b1a9c55',
      type: 'forecast.marked',
      created_at: '2024-01-02T09:33:18.000Z',
      failed_at: '2024-01-02T12:05:00.000Z',
      attempts: 8,
      error: 'status 500',
    },
  ],
};

const alert = (type: string, data: TProperties, description: string) =>
  Type.Object(
    {
      type: Type.Literal(type),
      timestamp: Type.String({ description: 'When it was made: ISO 8601, UTC.' }),
      data: Type.Object(data),
    },
    { description },
  );
const mark = {
  series: Type.String(),
  last_tick: Type.String({ description: 'The last tick that the forecast used.' }),
  timestamp: Type.String({ deprecated: true, description: 'The same as `last_tick`: its name in earlier releases.' }),
  future: Type.String({ description: 'The future timestamp.' }),
  probability: Type.Number({ minimum: 0, maximum: 1 }),
  min_move_bps: Type.Number({ description: 'The threshold of the forecast.' }),
  own_threshold: Type.Boolean({ description: 'Whether you named the threshold.' }),
  cost_bps: Type.Nullable(Type.Number(), { description: 'Median spread of the window; null: no quotes.' }),
  low: Type.Number({ description: 'The prices min_move_bps below and above the last one.' }),
  high: Type.Number(),
  touch: Type.Optional(Type.Number({ description: 'The price of the rule, if that is why the alert was sent.' })),
  touch_probability: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  model: Type.String({ description: 'Id of the version.' }),
  moved: Type.Optional(Type.Boolean({ description: 'Of forecast.settled: whether the move was larger than min_move_bps.' })),
  move_bps: Type.Optional(
    Type.Number({
      description: 'Of forecast.settled: the move from the first price at least 1 s later to the last price up to the future timestamp.',
    }),
  ),
  text: Type.String({ description: 'What the forecast means, in words.' }),
};
const count = Type.Integer({ minimum: 0 });

export const NarrowRangeSchema = Type.Object({
  level: Type.Number(),
  share: Type.Number({ description: 'Moves within the range.' }),
  outcomes: count,
});

/** Bodies of the alerts, by the form of Standard Webhooks. */
export const ALERT_SCHEMAS = {
  ForecastMarkedAlert: alert('forecast.marked', mark, 'A forecast is 1, or meets the rule of the target.'),
  ForecastSettledAlert: alert('forecast.settled', mark, 'What came true after a forecast that was told.'),
  RecordWorseAlert: alert(
    'record.worse',
    {
      from: Type.String({ description: 'First UTC day, YYYY-MM-DD.' }),
      ...{ outcomes: count, marks: count, hits: count },
      brier: Type.Number({ description: 'Mean of (probability - moved)^2; smaller is better.' }),
      baseline_brier: Type.Number({ description: 'The same for the recalibrated volatility baseline.' }),
      base_rate_brier: BASE_RATE_BRIER,
      difference: Type.Number({ description: 'baseline_brier - brier; below 0: worse than the baseline.' }),
      interval: Type.Array(Type.Number(), { minItems: 2, maxItems: 2, description: '99 % interval of the difference.' }),
      ...BASE_RATE_FIELDS,
      narrow_ranges: Type.Array(NarrowRangeSchema, {
        maxItems: 3,
        description: 'Levels whose 99 % interval of the share ends below the level.',
      }),
    },
    'The track record has become worse.',
  ),
  TestAlert: alert('webhook.test', { message: Type.String() }, 'Sent once by POST /account/webhooks/{id}/test.'),
} as const;

const MARK_EXAMPLE = {
  ...{ series: 'eurusd', last_tick: '2024-01-02 09:33:18.000', timestamp: '2024-01-02 09:33:18.000', future: '2024-01-02 09:34:18.000' },
  ...{ probability: 0.41, min_move_bps: 1.9, own_threshold: true, cost_bps: 1.2, low: 1.084794, high: 1.085206, model: 'base-2026-11-27' },
  text: 'A move beyond your cost of 1.9 bps, below 1.084794 or above 1.085206, within 1 min (by 2024-01-02 09:34:18 UTC) has a probability of 41 %.',
};

/** The alerts: an example of `data` by the name of the schema of its body. */
export const ALERT_EXAMPLES: { readonly [T in keyof typeof ALERT_SCHEMAS]: Static<(typeof ALERT_SCHEMAS)[T]>['data'] } = {
  ForecastMarkedAlert: MARK_EXAMPLE,
  ForecastSettledAlert: { ...MARK_EXAMPLE, moved: true, move_bps: -2.4 },
  RecordWorseAlert: {
    ...{ from: '2023-12-04', outcomes: 1190, marks: 100, hits: 21, brier: 0.16, baseline_brier: 0.155, base_rate_brier: 0.161 },
    ...{ difference: -0.005, interval: [-0.0064, -0.0036] },
    ...{ base_rate_difference: 0.001, base_rate_interval: [-0.0009, 0.0029], rival: 'baseline' },
    narrow_ranges: [],
  },
  TestAlert: { message: 'A test of tickmark: alerts arrive here.' },
};
