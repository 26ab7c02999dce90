import { BAR_TIMES } from '../core/barTime.ts';
import { parseBars, parseDurationMs } from './duration.ts';
import { FORECAST_OPTIONS, type OptionRow, sentenceOf, type ValueOf } from './forecastOptions.ts';
import { choice, flag, type Form, list, type Refusal, text } from './optionForms.ts';
import { quoteValue } from '../core/ServiceError.ts';

/** A horizon as it was sent, and its milliseconds or bars. */
export type Horizon = { readonly text: string; readonly ms: number };
export type BarHorizon = { readonly text: string; readonly bars: number };

/** Most horizons of one request. */
const MAX_HORIZONS = 8;

/** A name of a series, chosen by the caller. */
const SERIES_NAME = /^[A-Za-z0-9._:-]{1,64}$/;
const NAME_RULE = '1 to 64 of A-Z, a-z, 0-9, . _ : and -';
const BARS = /^[1-9]\d{0,4}$/;

/** YYYY-MM-DD, in the calendar. */
export function isDay(value: string): boolean {
  const ms = /^\d{4}-\d\d-\d\d$/.test(value) ? Date.parse(`${value}T00:00:00Z`) : NaN;
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(value);
}

const day = text('a day such as 2026-01-31', isDay, { type: 'string', format: 'date' });

const horizon = {
  refusalOf(value: string): Refusal | undefined {
    if (parseDurationMs(value) !== undefined) return undefined;
    const bars = parseBars(value);
    const hint = bars === undefined ? '' : ` (horizon_bars=${bars} counts in bars)`;
    return { rule: `be a list of durations up to a day, such as 10s,60s,5m${hint}`, found: `it is ${quoteValue(value)}` };
  },
  parse: (value: string): Horizon => ({ text: value, ms: parseDurationMs(value)! }),
  fault: () => undefined,
};

const barHorizon = {
  refusalOf: text('a list of whole numbers of bars, such as 3,12', (value) => BARS.test(value), {}).refusalOf,
  parse: (value: string): BarHorizon => ({ text: `${value}bars`, bars: Number(value) }),
  fault: () => undefined,
};

const horizons = { most: MAX_HORIZONS, same: (each: Horizon | BarHorizon) => ('ms' in each ? each.ms : each.bars) };

/** The series of the items of a batch. */
export const SERIES_OF_ITEMS: Pick<Form<string | readonly string[]>, 'refusalOf' | 'parse'> = {
  refusalOf(value) {
    const wrong = value.split(',').find((name) => !SERIES_NAME.test(name));
    if (wrong === undefined) return undefined;
    return { rule: `be one name, or one for each item with commas between them, of ${NAME_RULE}`, found: `it is ${quoteValue(wrong)}` };
  },
  parse: (value) => (value.includes(',') ? value.split(',') : value),
};

const whole = {
  ...text('a whole number', (value) => /^\d{1,15}$/.test(value), { type: 'integer', minimum: 0, maximum: 999_999_999_999_999 }),
  parse: Number,
  fault: () => undefined,
};

type Row = Omit<OptionRow, 'where'>;

/** Parameters of requests, in addition to the options of a forecast. */
const REQUEST_PARAMETERS = {
  after: {
    key: 'after',
    form: whole,
    about: 'Only what changed after this change: `last` of the page before',
    example: 57,
  },
  answer: {
    key: 'answer',
    // A recorded answer names only one of both.
    form: choice(['last', 'summary'], 'last'),
    about:
      'last: one object for the future timestamp (`timestamp`, `trend_identified`, `status`, `reason`) instead of an entry for each timestamp. ' +
      'summary: with `probability`, `decision_threshold` and `min_move_bps` too',
    example: 'last',
  },
  bar_time: {
    key: 'barTime',
    form: choice(BAR_TIMES),
    about:
      'Required with bars, refused with ticks. open: timestamps are the beginnings of bars; close: their ends. A wrong one lets a forecast see one bar of the future',
    example: 'close',
  },
  clock: {
    key: 'clockOff',
    form: flag('off'),
    about: 'Accepted from earlier releases. It changes nothing: no version has a time of day of its own',
    example: 'off',
  },
  from: { key: 'from', form: day, about: 'First UTC day of the rows, YYYY-MM-DD', example: '2026-01-25' },
  horizon_bars: {
    key: 'horizons',
    form: {
      ...list<Horizon | BarHorizon>(barHorizon, horizons),
      ...{ json: {}, query: { type: 'string', pattern: '^[1-9][0-9]{0,4}(,[1-9][0-9]{0,4}){0,7}$' }, placeholder: 'bars' },
    },
    about: 'With bars, in place of horizons: 1 to 8 different numbers of bars, each at most a day',
    example: '3',
    excludes: { name: 'horizons', code: 'query.malformed', why: 'each name the horizons' },
  },
  horizons: {
    key: 'horizons',
    form: {
      ...list<Horizon | BarHorizon>(horizon, horizons),
      ...{ json: {}, placeholder: 'durations' },
      query: { type: 'string', pattern: '^[1-9][0-9]{0,7}(ms|s|m|h|d)(,[1-9][0-9]{0,7}(ms|s|m|h|d)){0,7}$' },
    },
    about:
      'Several forecasts in one request: 1 to 8 different durations from the last tick, such as 10s,60s,5m, each at most a day. The body has no future entry, ' +
      'and the answer is `forecasts`',
    example: '10s,60s,5m',
  },
  memory: {
    key: 'memoryOff',
    form: flag('off'),
    about: 'With series, the forecast does not use what earlier requests said, and nothing of this one is kept',
    example: 'off',
  },
  series: {
    key: 'series',
    form: text(NAME_RULE, (value) => SERIES_NAME.test(value), {
      type: 'string',
      pattern: '^[A-Za-z0-9._:-]{1,64}(,[A-Za-z0-9._:-]{1,64}){0,63}$',
    }),
    about:
      'Name of a series, 1 to 64 of A-Z a-z 0-9 . _ : -; the forecast is scored by a later request of the series; of a track record, only its rows. ' +
      'Of a batch: one name for all items, or one for each with commas between them',
    example: 'eurusd',
  },
  ticks_from: {
    key: 'ticksFrom',
    form: whole,
    about: 'With `ticks` from this number on; 0: all',
    example: 0,
  },
  timing: {
    key: 'timing',
    form: flag('server'),
    about: 'The answer has a Server-Timing header with the milliseconds of each stage',
    example: 'server',
  },
  to: { key: 'to', form: day, about: 'Last UTC day of the rows, YYYY-MM-DD', example: '2026-01-31' },
} as const satisfies Readonly<Record<string, Row>>;

/** Every query parameter, as listed in the OpenAPI document. */
export const QUERY_PARAMETERS = { ...FORECAST_OPTIONS, ...REQUEST_PARAMETERS };

/** What the documents say of a query parameter. */
export function describeParameter(name: QueryName): { readonly description: string; readonly schema: object; readonly example: unknown } {
  const row: Row = QUERY_PARAMETERS[name];
  const { about, inQuery, form, example } = row;
  const sentence = sentenceOf(
    form.flag === undefined ? row : { ...row, about: `${form.flag}: ${about.slice(0, 1).toLowerCase()}${about.slice(1)}` },
  );
  return {
    description: inQuery === undefined ? sentence : `${sentence} ${inQuery}`,
    schema: form.query,
    example: Array.isArray(example) ? example.join() : example,
  };
}

export type QueryName = keyof typeof QUERY_PARAMETERS;
type Rows = typeof REQUEST_PARAMETERS;

/** What a query says of the request, apart from the options of its forecasts. */
export type RequestParameters = { readonly [N in keyof Rows as Rows[N]['key']]?: ValueOf<Rows[N]['form']> };
