import { BAR_TIMES, type BarTime } from '../core/barTime.ts';
import { fieldProblem, invalidRequest, quoteValue, type FieldProblem } from '../core/ServiceError.ts';
import { parseBars, parseDurationMs } from './duration.ts';
import { isLevel, MOST_RANGES, PRICE_LIMIT, RANGE_LEVEL } from './outlook.ts';
import { MARK_RATE, MIN_MOVE_BPS_MAX, MIN_PROBABILITY, type QueryName } from './queryParameters.ts';

/** A decimal number; its range is checked separately. */
const DECIMAL = /^\d{1,20}(\.\d{1,32})?([eE][+-]?\d{1,3})?$/;

/** Most horizons, and most thresholds, of one request. */
const MAX_HORIZONS = 8;
const MAX_THRESHOLDS = 8;

const isBarTime = (text: string): text is BarTime => (BAR_TIMES as readonly string[]).includes(text);

/** A name of a series, chosen by the caller. */
const SERIES_NAME = /^[A-Za-z0-9._:-]{1,64}$/;

/** A horizon as it was sent, and its milliseconds or bars. */
export type Horizon = { readonly text: string; readonly ms: number };
export type BarHorizon = { readonly text: string; readonly bars: number };

export type ReadQuery = {
  readonly detail: boolean;
  readonly clockOff?: true;
  readonly memoryOff?: true;
  readonly lastOnly?: true;
  /** The last entry alone, with its probability and thresholds. */
  readonly summary?: true;
  /** cost: the median spread of the request. */
  readonly minMoveBps?: number | 'cost';
  readonly minProbability?: number;
  readonly markRate?: number;
  /** Levels, as they were sent. */
  readonly range?: readonly number[];
  readonly above?: number;
  readonly barTime?: BarTime;
  /** Set for `?horizons=` and `?horizon_bars=`; then `thresholds` replaces `minMoveBps`. */
  readonly horizons?: readonly Horizon[] | readonly BarHorizon[];
  /** Basis points; undefined: the default threshold of the window. */
  readonly thresholds?: readonly (number | 'cost' | undefined)[];
  readonly modelId?: string;
  readonly series?: string;
  /** Of a batch: the series of each item, in place of `series`. */
  readonly seriesOfItems?: readonly string[];
  /** Days, YYYY-MM-DD. */
  readonly from?: string;
  readonly to?: string;
  readonly timing?: true;
};

function malformed(name: QueryName, rule: string, value: string): FieldProblem {
  return fieldProblem(`?${name}`, 'query.malformed', `${name} must be ${rule}; it is ${quoteValue(value)}.`);
}

function valueProblem(name: QueryName, value: string, hasHorizons: boolean, isBatch: boolean): FieldProblem | undefined {
  if (name === 'horizons') return horizonsProblem(value);
  if (name === 'horizon_bars') return horizonBarsProblem(value);
  if (name === 'bar_time') return isBarTime(value) ? undefined : malformed(name, 'open or close', value);
  if (name === 'min_move_bps' && hasHorizons) return thresholdsProblem(value);
  if (name === 'answer' && hasHorizons)
    return malformed(name, 'left out with horizons, whose answer has no entries before the last', value);
  if (name === 'answer') return value === 'last' || value === 'summary' ? undefined : malformed(name, 'last', value); // A recorded answer.
  if (name === 'clock' || name === 'memory') return value === 'off' ? undefined : malformed(name, 'off', value);
  if (name === 'detail') return value === 'full' ? undefined : malformed(name, 'full', value);
  if (name === 'timing') return value === 'server' ? undefined : malformed(name, 'server', value);
  if (name === 'model') return value === '' ? malformed(name, 'the id of a model', value) : undefined;
  if (name === 'series' && isBatch) return seriesProblem(value.split(','));
  if (name === 'series') return SERIES_NAME.test(value) ? undefined : malformed(name, '1 to 64 of A-Z, a-z, 0-9, . _ : and -', value);
  if (name === 'from' || name === 'to') return isDay(value) ? undefined : malformed(name, 'a day such as 2026-01-31', value);
  if (name === 'min_probability') return fractionProblem(name, MIN_PROBABILITY, value);
  if (name === 'mark_rate') return fractionProblem(name, MARK_RATE, value);
  if (name === 'range') return rangeProblem(value);
  if (name === 'above') return aboveProblem(value);
  return thresholdProblem(value);
}

function seriesProblem(names: readonly string[]): FieldProblem | undefined {
  const wrong = names.find((name) => !SERIES_NAME.test(name));
  if (wrong === undefined) return undefined;
  return malformed('series', 'one name, or one for each item with commas between them, of 1 to 64 of A-Z, a-z, 0-9, . _ : and -', wrong);
}

function fractionProblem(
  name: 'min_probability' | 'mark_rate',
  [least, most]: readonly [number, number],
  value: string,
): FieldProblem | undefined {
  if (!DECIMAL.test(value)) return malformed(name, 'a decimal number', value);
  if (Number(value) >= least && Number(value) <= most) return undefined;
  const detail = `${name} must be from ${least} to ${most}; it is ${quoteValue(value)}.`;
  return fieldProblem(`?${name}`, `${name}.out_of_range`, detail);
}

export const RATE_WITH_PROBABILITY = 'mark_rate and min_probability each name the smallest marked probability; both are sent.';

function rangeProblem(value: string): FieldProblem | undefined {
  const parts = value.split(',');
  const count = countProblem('range', parts, MOST_RANGES);
  if (count !== undefined) return count;
  if (!parts.every((part) => DECIMAL.test(part))) return malformed('range', 'a list of decimal numbers, such as 0.5,0.9', value);
  const wrong = parts.find((part) => !isLevel(Number(part)));
  if (wrong === undefined) return repeatedProblem('range', parts, parts.map(Number));
  const detail = `range must have levels from ${RANGE_LEVEL[0]} to ${RANGE_LEVEL[1]}; one is ${quoteValue(wrong)}.`;
  return fieldProblem('?range', 'range.out_of_range', detail);
}

function aboveProblem(value: string): FieldProblem | undefined {
  if (DECIMAL.test(value) && Number(value) > 0 && Number(value) < PRICE_LIMIT) return undefined;
  if (!DECIMAL.test(value) && Number.isNaN(Number(value))) return malformed('above', 'a decimal number', value);
  return fieldProblem('?above', 'above.out_of_range', `above must be a price above 0 and below 1e12; it is ${quoteValue(value)}.`);
}

/** `given`: the parameters by name. */
function rateProblem(given: ReadonlyMap<string, string>): FieldProblem | undefined {
  const rate = given.get('mark_rate');
  if (rate === undefined) return undefined;
  if (given.has('min_probability')) return fieldProblem('?mark_rate', 'mark_rate.with_probability', RATE_WITH_PROBABILITY);
  return given.has('series') ? undefined : malformed('mark_rate', 'sent with series, whose forecasts it is a fraction of', rate);
}

const readThreshold = (value: string): number | 'cost' => (value === 'cost' ? value : Number(value));

function thresholdProblem(value: string): FieldProblem | undefined {
  if (value === 'cost') return undefined;
  if (!DECIMAL.test(value)) return malformed('min_move_bps', 'a decimal number', value);
  if (Number(value) > 0 && Number(value) <= MIN_MOVE_BPS_MAX) return undefined;
  const detail = `min_move_bps must be above 0 and at most ${MIN_MOVE_BPS_MAX}; it is ${quoteValue(value)}.`;
  return fieldProblem('?min_move_bps', 'min_move_bps.out_of_range', detail);
}

function thresholdsProblem(value: string): FieldProblem | undefined {
  const parts = value.split(',');
  const count = countProblem('min_move_bps', parts, MAX_THRESHOLDS);
  if (count !== undefined) return count;
  const wrong = parts.map(thresholdProblem).find((problem) => problem !== undefined);
  return wrong ?? repeatedProblem('min_move_bps', parts, parts.map(readThreshold));
}

function horizonsProblem(value: string): FieldProblem | undefined {
  const parts = value.split(',');
  const count = countProblem('horizons', parts, MAX_HORIZONS);
  if (count !== undefined) return count;
  const ms = parts.map(parseDurationMs);
  const wrong = ms.indexOf(undefined);
  if (wrong >= 0) {
    const bars = parseBars(parts[wrong]!);
    const hint = bars === undefined ? '' : ` (horizon_bars=${bars} counts in bars)`;
    return malformed('horizons', `a list of durations up to a day, such as 10s,60s,5m${hint}`, parts[wrong]!);
  }
  return repeatedProblem('horizons', parts, ms);
}

const BARS = /^[1-9]\d{0,4}$/;

function horizonBarsProblem(value: string): FieldProblem | undefined {
  const parts = value.split(',');
  const count = countProblem('horizon_bars', parts, MAX_HORIZONS);
  if (count !== undefined) return count;
  if (!parts.every((part) => BARS.test(part))) return malformed('horizon_bars', 'a list of whole numbers of bars, such as 3,12', value);
  return repeatedProblem('horizon_bars', parts, parts.map(Number));
}

function countProblem(name: QueryName, parts: readonly string[], most: number): FieldProblem | undefined {
  if (parts.length <= most) return undefined;
  return fieldProblem(`?${name}`, 'query.malformed', `${name} must have at most ${most} values; it has ${parts.length}.`);
}

function repeatedProblem(name: QueryName, parts: readonly string[], values: readonly unknown[]): FieldProblem | undefined {
  const at = values.findIndex((value, i) => values.indexOf(value) !== i);
  if (at < 0) return undefined;
  return fieldProblem(`?${name}`, 'query.malformed', `${name} must have different values; ${quoteValue(parts[at])} occurs twice.`);
}

/** YYYY-MM-DD, in the calendar. */
export function isDay(text: string): boolean {
  const ms = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : NaN;
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
}

/**
 * Reads a query string against the parameters of a route. Throws ServiceError `request.invalid` for an unknown, repeated or malformed
 * parameter, with the pointer `?name`. `isBatch`: `series` may name the series of each item.
 */
export function readQuery(text: string, allowed: readonly QueryName[], isBatch = false): ReadQuery {
  if (text === '') return { detail: false };
  const problems: FieldProblem[] = [];
  const given = new Map<string, string>();
  const parameters = new URLSearchParams(text);
  const hasHorizons = allowed.includes('horizons') && (parameters.has('horizons') || parameters.has('horizon_bars'));
  for (const [name, value] of parameters) {
    const pointer = `?${name.slice(0, 64)}`;
    const problem = !allowed.includes(name as QueryName)
      ? fieldProblem(pointer, 'query.unknown', `${quoteValue(name)} is not a query parameter of this route.`)
      : given.has(name)
        ? fieldProblem(pointer, 'query.repeated', `${name} must be sent once; it is repeated.`)
        : valueProblem(name as QueryName, value, hasHorizons, isBatch);
    if (problem !== undefined) problems.push(problem);
    given.set(name, value);
  }
  const [minMoveBps, modelId, series, from, to] = ['min_move_bps', 'model', 'series', 'from', 'to'].map((name) => given.get(name));
  if (problems.length === 0 && from !== undefined && to !== undefined && from > to) problems.push(malformed('to', `${from} or later`, to));
  const wrongRate = rateProblem(given);
  if (problems.length === 0 && wrongRate !== undefined) problems.push(wrongRate);
  const bars = given.get('horizon_bars');
  if (problems.length === 0 && bars !== undefined && given.has('horizons'))
    problems.push(malformed('horizon_bars', 'left out with horizons', bars));
  if (problems.length > 0) throw invalidRequest(problems.slice(0, 20));
  return {
    detail: given.has('detail'),
    ...(given.has('answer') ? { lastOnly: true } : {}),
    ...(given.get('answer') === 'summary' ? { summary: true } : {}),
    ...(given.has('bar_time') ? { barTime: given.get('bar_time') as BarTime } : {}),
    ...(given.has('clock') ? { clockOff: true } : {}),
    ...(given.has('memory') ? { memoryOff: true } : {}),
    ...(hasHorizons ? readHorizons(given, minMoveBps) : minMoveBps === undefined ? {} : { minMoveBps: readThreshold(minMoveBps) }),
    ...(given.has('min_probability') ? { minProbability: Number(given.get('min_probability')) } : {}),
    ...(given.has('mark_rate') ? { markRate: Number(given.get('mark_rate')) } : {}),
    ...(given.has('range') ? { range: given.get('range')!.split(',').map(Number) } : {}),
    ...(given.has('above') ? { above: Number(given.get('above')) } : {}),
    ...(modelId === undefined ? {} : { modelId }),
    ...(series === undefined ? {} : series.includes(',') ? { seriesOfItems: series.split(',') } : { series }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(given.has('timing') ? { timing: true } : {}),
  };
}

function readHorizons(given: ReadonlyMap<string, string>, thresholds: string | undefined): Pick<ReadQuery, 'horizons' | 'thresholds'> {
  const bars = given.get('horizon_bars');
  return {
    horizons:
      bars === undefined
        ? given
            .get('horizons')!
            .split(',')
            .map((text) => ({ text, ms: parseDurationMs(text)! }))
        : bars.split(',').map((text) => ({ text: `${text}bars`, bars: Number(text) })),
    thresholds: thresholds === undefined ? [undefined] : thresholds.split(',').map(readThreshold),
  };
}
