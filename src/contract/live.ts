import type { Static } from 'typebox';
import { Type } from '../core/schema.ts';
import { BAR_TIMES } from '../core/barTime.ts';
import { ForecastDetailSchema, StatusSchema } from './forecastDetail.ts';
import { NullReasonSchema, oneOf } from './reasons.ts';
import { DURATION_PATTERN as DURATION } from './duration.ts';
import { count, every, horizon, id, message, oldName, probability, series, stamp, windowTicks } from './liveFields.ts';
import { LiveScoreSchema } from './liveScore.ts';
import { liveBarForms, LIVE_MESSAGE_TICKS, liveTickForms } from './liveTicks.ts';
import { OUTLOOK_FIELDS } from './outlook.ts';
import { ProblemSchema } from './problem.ts';
import { optionSchemas } from './readOptions.ts';
import { TrendSchema } from './tickForecast.ts';
import { barPrices } from './tickForms.ts';

export const LIVE_PATH = '/auth/live';
export const LIVE_PROTOCOL = 'tickmark.v1';

/** Most forecasts of one series that a setting can allow. */
export const LIVE_MOST_FORECASTS = 64;
/** The id of forecasts that answer `ask`. */
export const ASK_ID = 'ask';

/** The messages `ticks` and `bars` by the form of their lists. */
export const LIVE_TICK_FORMS = liveTickForms(series);
export const LIVE_BAR_FORMS = liveBarForms(series);

const barTime = () =>
  oneOf(BAR_TIMES, 'open: timestamps are the beginnings of bars; close: their ends. A wrong one lets forecasts see one bar of the future.');

const OPEN_MESSAGE = message('open', 'Opens a series. Answered by `opened`.', {
  series: series(),
  forecasts: Type.Array(
    Type.Object({
      ...{ horizon: horizon(), every: every(), id: Type.Optional(id()) },
      ...optionSchemas('live plan'),
      ticks: Type.Optional(windowTicks()),
      resume_after: Type.Optional(
        Type.String({
          description:
            'After a lost connection: `last_tick` of the last forecast of this id whose outcome is known. Forecasts up to it are not made again, so no outcome counts twice.',
          examples: ['2024-01-02 09:32:00.478'],
        }),
      ),
    }),
    { minItems: 1, maxItems: LIVE_MOST_FORECASTS },
  ),
  model: Type.Optional(Type.String({ minLength: 1, maxLength: 128, description: 'Id of a loaded version; default: the promoted one.' })),
  bars: Type.Optional(
    Type.Object(
      {
        bar_time: barTime(),
        period: Type.Optional(
          Type.String({
            pattern: DURATION,
            description: 'Length of the bars, 1s to 1d; default: measured from the first message. A horizon in bars needs it.',
            examples: ['1m'],
          }),
        ),
      },
      { description: 'The series is one of bars, which come in messages `bars`. Absent: of ticks.' },
    ),
  ),
  memory: Type.Optional(
    Type.Literal('off', {
      description: 'The forecasts do not use what was kept of the series by its name, and nothing of this one is kept.',
    }),
  ),
});

/** The message `bars` in either form, for the documentation. */
const LIVE_BARS = message(
  'bars',
  'The next bars, each sent once, when it has ended: a later message cannot correct it. Outcomes go from close to close. All messages of a series have Open, High and Low, or none.',
  {
    series: series(),
    Timestamp: Type.Unsafe<readonly string[] | readonly number[]>({
      anyOf: [LIVE_BAR_FORMS.textBars.properties.Timestamp, LIVE_BAR_FORMS.epochBars.properties.Timestamp],
    }),
    ...barPrices(LIVE_MESSAGE_TICKS),
  },
);

/** What a client sends: one JSON object per text frame. */
export const CLIENT_MESSAGES = {
  auth: message('auth', 'The key, within 5 s, for callers that cannot send the header Api-Key, such as browsers.', {
    api_key: Type.String({ writeOnly: true, maxLength: 256, examples: ['tkm_live_…'] }),
  }),
  open: OPEN_MESSAGE,
  ticks: Type.Union([LIVE_TICK_FORMS.textPrices, LIVE_TICK_FORMS.epochPrices, LIVE_TICK_FORMS.textQuotes, LIVE_TICK_FORMS.epochQuotes], {
    description:
      'The next ticks, by the rules and in the forms of POST /auth/ti-tick, without a future entry. Each message may have another form. All or nothing: after a bad tick, the series is as before the message.',
  }),
  bars: LIVE_BARS,
  ask: message('ask', `One forecast now, with the id \`${ASK_ID}\`. It has no outcome and does not count in the score.`, {
    series: series(),
    horizon: horizon(),
    ...optionSchemas('live ask'),
    detail: Type.Optional(Type.Boolean({ description: 'Whether the answer has the explanation.' })),
  }),
  score: message('score', 'Asks for the running score.', { series: series() }),
  watch: message(
    'watch',
    'Asks for copies of what the connections of this key send: a `watched` message up to 5 times a second. The first one comes at once; those after it begin with the present state.',
    {},
  ),
  close: message('close', 'Closes the series. Answered by its last score, in which pending outcomes are unscored.', { series: series() }),
} as const;

export type ClientMessageType = keyof typeof CLIENT_MESSAGES;
export type ClientMessage<T extends ClientMessageType = ClientMessageType> = Static<(typeof CLIENT_MESSAGES)[T]>;

const ForecastPlanSchema = Type.Object({
  ...{ id: id(), horizon: horizon(), every: every(), min_move_bps: Type.Nullable(Type.Union([Type.Number(), Type.Literal('cost')])) },
  ...optionSchemas('live opened', 'Only if the message `open` named one.'),
});

const { code, title, status, detail, requestId, retryAfterSeconds, errors } = ProblemSchema.properties;
/** Without `type`, which is that of the message. */
const PROBLEM_FIELDS = { code, title, status, detail, requestId, retryAfterSeconds, errors };

/** Why forecasts were skipped, in addition to the codes of errors. */
export const SLOW_CONSUMER = 'slow_consumer';

/** What the service sends about a series, and copies to those who watch the key. */
const SERIES_MESSAGES = {
  opened: message('opened', 'The series is open.', {
    series: series(),
    forecasts: Type.Array(ForecastPlanSchema),
    model: Type.Nullable(Type.String({ description: 'The version that was named; null: the promoted one at the time of each forecast.' })),
    bars: Type.Optional(
      Type.Object(
        {
          bar_time: barTime(),
          bar_period_ms: Type.Nullable(
            Type.Number({ description: 'null: measured from the first message `bars`, after which a `status` names it.' }),
          ),
        },
        { description: 'Only of a series of bars.' },
      ),
    ),
    limits: Type.Object({
      series_per_connection: count(),
      forecasts_per_series: count(),
      pending_outcomes: Type.Integer({ minimum: 0, description: 'Forecasts of this connection that wait for their outcome.' }),
      ticks_per_message: count(),
      ticks_kept: count(),
      least_ticks: Type.Integer({ minimum: 0, description: 'Below this number of ticks there is no forecast.' }),
    }),
  }),
  forecast: message('forecast', 'A forecast: the same as that of POST /auth/ti-tick for the same ticks.', {
    series: series(),
    id: id(),
    n: Type.Integer({ minimum: 0, description: 'Counts the due forecasts of this id from 0; a skipped one leaves a gap.' }),
    last_tick: stamp('The last tick that the forecast used.'),
    timestamp: oldName('last_tick'),
    future: stamp('The future timestamp.'),
    trend_identified: TrendSchema,
    status: StatusSchema,
    probability: probability(),
    decision_threshold: probability(),
    min_move_bps: Type.Nullable(Type.Number()),
    notes: Type.Optional(
      Type.Array(Type.Union([Type.Literal('threshold_below_cost'), Type.Literal('seen_in_training'), Type.Literal('bar_time_doubtful')]), {
        description:
          'threshold_below_cost: min_move_bps is below the median spread of the window, so such a move does not pay. seen_in_training: the version was trained on these ticks. bar_time_doubtful: as the status of this code. Absent: no note.',
      }),
    ),
    reasons: Type.Array(NullReasonSchema, { description: 'Empty for a mark.' }),
    model: Type.String(),
    ...OUTLOOK_FIELDS,
    detail: Type.Optional(ForecastDetailSchema),
  }),
  outcome: message('outcome', 'What came true, sent when a tick shows that the future timestamp has passed.', {
    series: series(),
    id: id(),
    n: count(),
    moved: Type.Nullable(Type.Boolean({ description: 'Whether the move was larger than min_move_bps of the forecast; null: unknown.' })),
    move_bps: Type.Nullable(
      Type.Number({ description: 'Move from the first price at least 1 s later to the last price up to the future timestamp.' }),
    ),
    touched: Type.Optional(
      Type.Array(Type.Boolean(), { description: 'With touch: whether each price was reached, in their order; absent if it is unknown.' }),
    ),
    first: Type.Optional(
      Type.Union([Type.Number(), Type.Literal('unclear'), Type.Null()], {
        description: 'With first: the price that was reached first; null: neither; unclear: one bar reached both.',
      }),
    ),
    reason: Type.Optional(
      oneOf(
        ['session_gap', 'level_changed', 'no_threshold', 'pending_limit'],
        'Why moved is null. session_gap: the market paused; level_changed: its level, as by a split; no_threshold: the window had no threshold; pending_limit: too many outcomes were pending.',
      ),
    ),
  }),
  score: message('score', 'The running score.', { series: series(), scores: Type.Array(LiveScoreSchema) }),
  status: message('status', 'What the connection should know.', {
    code: oneOf(
      ['warming_up', 'bar_period', 'bar_time_doubtful', 'skipped', 'going_away'],
      'warming_up: the series has too few ticks for a forecast. bar_period: the length of the bars was measured. bar_time_doubtful: after 5 days or more, the clock says that bar_time is wrong; detail has the evidence. skipped: forecasts were not made. going_away: the service stops; connect again.',
    ),
    bar_period_ms: Type.Optional(Type.Number()),
    detail: Type.String(),
    series: Type.Optional(series()),
    skipped: Type.Optional(
      Type.Record(Type.String(), Type.Integer({ minimum: 1 }), {
        description: `Forecasts skipped since the last status, by reason: \`${SLOW_CONSUMER}\` or the code of the error, such as \`limit.exceeded\` or \`inference.overloaded\`.`,
      }),
    ),
  }),
} as const;

/** What only a connection that watches gets. */
const WATCHED_MESSAGES = {
  price: message('price', 'The last price of a series that has new ticks.', {
    ...{ series: series(), last_tick: stamp('The last tick of the series.'), timestamp: oldName('last_tick') },
    price: Type.Number(),
  }),
  closed: message('closed', 'The series, or its connection, was closed.', { series: series() }),
} as const;

/** A message that watchers get. */
export type WatchedMessage = {
  [T in keyof (typeof SERIES_MESSAGES & typeof WATCHED_MESSAGES)]: Static<(typeof SERIES_MESSAGES & typeof WATCHED_MESSAGES)[T]>;
}[keyof (typeof SERIES_MESSAGES & typeof WATCHED_MESSAGES)];

/** What the service sends. */
export const SERVER_MESSAGES = {
  ...SERIES_MESSAGES,
  watched: message('watched', 'Copies of what the connections of the key get. Some may be lost; the connections themselves never wait.', {
    copies: Type.Array(
      Type.Object({
        source: Type.String({ description: 'Names the connection: two of them may have series of one name.' }),
        message: Type.Unsafe<WatchedMessage>(
          Type.Union([...Object.values(SERIES_MESSAGES), ...Object.values(WATCHED_MESSAGES)], {
            description:
              'An `opened`, `forecast`, `outcome`, `score` or `status` message as that connection got it; or `price` (`series`, `last_tick`, `price`): the last tick, or `closed` (`series`). `opened` may come again, and scores come every 2 s.',
          }),
        ),
      }),
    ),
    dropped: Type.Integer({ minimum: 0, description: 'Copies that were not sent since the last `watched` message.' }),
  }),
  error: message('error', 'A message was refused and had no effect. The fields of the problem documents of REST routes.', {
    message: Type.Nullable(Type.String({ description: 'Type of the message that was refused; null: it could not be read.' })),
    series: Type.Optional(series()),
    ...PROBLEM_FIELDS,
  }),
} as const;

export type ServerMessageType = keyof typeof SERVER_MESSAGES;
export type ServerMessage<T extends ServerMessageType = ServerMessageType> = Static<(typeof SERVER_MESSAGES)[T]>;

/** Codes with which the service closes a connection (RFC 6455; those from 4000 on are its own). */
export const CLOSE_CODES = {
  1001: 'The service stops. Connect again, and send the last ticks again.',
  1003: 'A binary frame was sent; messages are text.',
  1006: 'Two pings were not answered; the connection ends without a close frame.',
  1008: '100 messages in a row were refused, or a message had more than 256 frames.',
  1009: 'A message was larger than 1 MiB.',
  1013: 'More than 8 MiB wait to be read by the client.',
  4401: 'The key was not accepted, was revoked or has ended.',
  4429: 'The key has as many connections as allowed.',
} as const;

export type CloseCode = keyof typeof CLOSE_CODES;
