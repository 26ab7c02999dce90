import type { FieldCode } from '../core/errorTable.ts';
import { EXAMPLE_MODEL_ID } from './exampleIds.ts';
import { bare, boundsText, choice, flag, type Form, list, number, orWord, text } from './optionForms.ts';
import { MOST_RANGES, MOST_TOUCHES, PRICE_LIMIT, RANGE_LEVEL } from './outlook.ts';

/** Where an option may stand: requests, live messages, commands, tools of MCP, and methods of the engine package. */
export type Place =
  | ('query' | 'live plan' | 'live opened' | 'live ask')
  | ('predict' | 'replay' | 'live' | 'forecast tool' | 'live tool' | 'engine forecast' | 'engine replay');

export type OptionRow = {
  /** The name in programs; the name of the row is that on the wire. */
  readonly key: string;
  readonly form: Form;
  /** The sentence about it, without its end; `default`: what holds without it. */
  readonly about: string;
  readonly default?: string;
  /** A further sentence for queries. */
  readonly inQuery?: string;
  readonly example: unknown;
  readonly where: readonly Place[];
  /** Code of a value that is too small or too large; default: that of a malformed one. */
  readonly outOfRange?: FieldCode;
  /** Another option that must be absent; `why`: `A and B ${why}; both are sent.` */
  readonly excludes?: { readonly name: string; readonly code: FieldCode; readonly why: string };
  /** A query parameter that must be there too, such as `example`; `rule`: as of a malformed value. */
  readonly needs?: { readonly name: string; readonly example: string; readonly rule: string };
};

/** Thresholds that a caller can name, basis points. */
export const MOVES_BPS = { exclusiveMinimum: 0, maximum: 10_000 } as const;
const minMove = number(MOVES_BPS);
/** The smallest marked probabilities that a caller can name. */
export const CUTS = { minimum: 0.01, maximum: 0.99 } as const;
const levels = { minimum: RANGE_LEVEL[0], maximum: RANGE_LEVEL[1] };
const level = number(levels);
const prices = { exclusiveMinimum: 0, exclusiveMaximum: PRICE_LIMIT };
const price = number(prices);

/** Several thresholds, where a request has several horizons. */
export const MIN_MOVES = list(orWord('cost', minMove), { most: 8 });

/**
 * The options of a forecast. Queries, live messages, commands, tools of MCP, clients, schemas and pages are made from this table; what is read
 * becomes ForecastOptions, which the engine gets.
 */
export const FORECAST_OPTIONS = {
  above: {
    key: 'above',
    form: number({ exclusiveMinimum: 0, exclusiveMaximum: PRICE_LIMIT }, { noun: 'a price ', placeholder: 'price', readsAny: true }),
    about: 'A price: with what probability is the price above it at the future timestamp? No direction is claimed',
    example: 1.085,
    where: ['query', 'live plan', 'live ask', 'predict', 'forecast tool', 'engine forecast'],
    outOfRange: 'above.out_of_range',
  },
  detail: {
    key: 'detail',
    form: flag('full'),
    about: 'Adds `detail`, the explanation, to the last entry, or to the object of `answer=last`',
    example: 'full',
    where: ['query'],
  },
  first: {
    key: 'first',
    form: bare('on'),
    about: 'Of the two prices of touch, which is reached first, or neither: three probabilities that add up to 1',
    example: 'on',
    where: ['query', 'live plan', 'live ask', 'predict', 'forecast tool', 'engine forecast'],
    needs: { name: 'touch', example: '1.085,1.08', rule: 'be sent with touch, whose two prices it compares' },
  },
  mark_rate: {
    key: 'markRate',
    form: number({ minimum: 0.001, maximum: 0.5 }),
    about:
      'Fraction of the forecasts of the series that you want marked, the likeliest ones, by a quantile of its last 1,000 probabilities at this horizon and threshold; ' +
      'null with `rate_unknown` until 200 are known. In place of min_probability',
    example: 0.05,
    where: ['query', 'live plan', 'live opened', 'replay', 'live', 'live tool'],
    outOfRange: 'mark_rate.out_of_range',
    excludes: { name: 'min_probability', code: 'mark_rate.with_probability', why: 'each name the smallest marked probability' },
    needs: { name: 'series', example: 'eurusd', rule: 'be sent with series, whose forecasts it is a fraction of' },
  },
  min_move_bps: {
    key: 'minMoveBps',
    form: {
      ...orWord('cost', minMove),
      ...{ json: { anyOf: [minMove.json, { type: 'string', const: 'cost' }] }, placeholder: 'number' },
      query: {
        anyOf: [
          minMove.json,
          { type: 'string', const: 'cost' },
          { type: 'string', pattern: '^(cost|[0-9.eE+-]+)(,(cost|[0-9.eE+-]+)){1,7}$', description: 'With horizons only.' },
        ],
      },
    },
    about: 'Your own cost in basis points (10,000 x log return), or `cost`: the median spread of Bid and Ask',
    default: 'a threshold computed from the ticks',
    inQuery: 'With horizons, a list of both: 1,2.5.',
    example: 2.5,
    where: [
      'query',
      'live plan',
      'live ask',
      'predict',
      'replay',
      'live',
      'forecast tool',
      'live tool',
      'engine forecast',
      'engine replay',
    ],
    outOfRange: 'min_move_bps.out_of_range',
  },
  min_probability: {
    key: 'minProbability',
    form: number(CUTS),
    about: 'Smallest probability that you want marked',
    default: 'the decision threshold of the version',
    example: 0.4,
    where: [
      ...(['query', 'live plan', 'live opened', 'live ask', 'predict', 'replay', 'live'] as const),
      ...(['forecast tool', 'live tool', 'engine forecast', 'engine replay'] as const),
    ],
    outOfRange: 'min_probability.out_of_range',
  },
  model: {
    key: 'model',
    form: { ...text('the id of a model', (value) => value !== '', { type: 'string', minLength: 1 }), placeholder: 'id' },
    about: 'Id of a loaded version, or an id without its day: the newest',
    default: 'the promoted version',
    inQuery: 'Of a track record: only its rows.',
    example: EXAMPLE_MODEL_ID,
    where: ['query', 'predict', 'replay', 'live', 'forecast tool', 'live tool'],
  },
  range: {
    key: 'range',
    form: {
      ...list(level, { most: MOST_RANGES, rule: 'be a list of decimal numbers, such as 0.5,0.9', noun: `levels ${boundsText(levels)}` }),
      ...{ json: { type: 'array', items: level.json, minItems: 1, maxItems: MOST_RANGES, uniqueItems: true }, placeholder: 'levels' },
      query: { type: 'string', pattern: '^0?[.][0-9]{1,6}(,0?[.][0-9]{1,6}){0,7}$' },
    },
    about:
      'Levels, 1 to 8 different ones from 0.5 to 0.99: for each, the range that contains the price at the future timestamp with this probability',
    inQuery: 'With series, ranges are corrected by their outcomes.',
    example: [0.5, 0.9],
    where: ['query', 'live plan', 'live ask', 'predict', 'replay', 'live', 'forecast tool', 'engine forecast', 'engine replay'],
    outOfRange: 'range.out_of_range',
  },
  touch: {
    key: 'touch',
    form: {
      ...list(price, { most: MOST_TOUCHES, rule: 'be a list of prices, such as 101.2,99.4', noun: `prices ${boundsText(prices)}` }),
      ...{ json: { type: 'array', items: price.json, minItems: 1, maxItems: MOST_TOUCHES, uniqueItems: true }, placeholder: 'prices' },
      query: { type: 'string', pattern: '^[0-9.eE+-]+(,[0-9.eE+-]+){0,15}$' },
    },
    about:
      'Up to 16 prices: with what probability is each reached before the future timestamp? No direction is claimed, and no fill promised',
    inQuery: 'With series, the probabilities are corrected by their outcomes.',
    example: [1.09, 1.08],
    where: ['query', 'live plan', 'live ask', 'predict', 'forecast tool', 'engine forecast'],
    outOfRange: 'touch.out_of_range',
  },
  touch_by: {
    key: 'touchBy',
    form: choice(['limit', 'stop', 'mid']),
    about:
      'What reaches the prices of touch. limit: the bid one above, the ask one below, as orders fill; stop: the other side; mid: their mean',
    default: 'limit with Bid and Ask, else the price',
    example: 'stop',
    where: ['query', 'live plan', 'live ask', 'predict', 'forecast tool', 'engine forecast'],
    needs: { name: 'touch', example: '1.085,1.08', rule: 'be sent with touch, whose prices it is about' },
  },
} as const satisfies Readonly<Record<string, OptionRow>>;

type Rows = typeof FORECAST_OPTIONS;
export type OptionName = keyof Rows;
export type ValueOf<F> = F extends { parse(text: string): infer T } ? T : never;

/** The options of one forecast, as they go from every place to the engine. */
export type ForecastOptions = { readonly [N in OptionName as Rows[N]['key']]?: ValueOf<Rows[N]['form']> | undefined };

/** The names that may stand at a place. */
export type NameAt<P extends Place> = { [N in OptionName]: P extends Rows[N]['where'][number] ? N : never }[OptionName];

/** Of an object of JSON at a place. */
export type OptionFields<P extends Place> = { readonly [N in NameAt<P>]?: ValueOf<Rows[N]['form']> };

const ROWS = Object.entries<OptionRow>(FORECAST_OPTIONS);

export const optionsAt = (place: Place): (readonly [name: OptionName, row: OptionRow])[] =>
  ROWS.filter(([, { where }]) => where.includes(place)) as [OptionName, OptionRow][];

/** The whole sentence. */
export const sentenceOf = ({ about, default: otherwise }: Pick<OptionRow, 'about' | 'default'>): string =>
  `${about}${otherwise === undefined ? '' : `; default: ${otherwise}`}.`;

/** `above 0 and at most 10000` -> the sentence that refuses a value. */
export const refusalText = (name: string, { rule, found }: { readonly rule: string; readonly found: string }): string =>
  `${name} must ${rule}; ${found}.`;
