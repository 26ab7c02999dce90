import { fieldProblem, invalidRequest, quoteValue, type FieldProblem } from '../core/ServiceError.ts';
import { FORECAST_OPTIONS, type ForecastOptions, MIN_MOVES, type OptionRow, refusalText } from './forecastOptions.ts';
import { QUERY_PARAMETERS, type QueryName, type RequestParameters, SERIES_OF_ITEMS } from './queryParameters.ts';

export type ReadQuery = RequestParameters & {
  readonly options: ForecastOptions;
  /** Basis points, one of each forecast of a horizon, in place of `options.minMoveBps`; undefined: the default threshold of the window. */
  readonly thresholds?: readonly ForecastOptions['minMoveBps'][];
  /** Of a batch: the series of each item, in place of `series`. */
  readonly seriesOfItems?: readonly string[];
};

type Row = Omit<OptionRow, 'where'>;
const ROWS: Readonly<Record<string, Row>> = QUERY_PARAMETERS;
const isOption = (name: string): boolean => Object.hasOwn(FORECAST_OPTIONS, name);

const malformed = (name: string, rule: string, value: string): FieldProblem =>
  fieldProblem(`?${name}`, 'query.malformed', refusalText(name, { rule, found: `it is ${quoteValue(value)}` }));

/** What reads a parameter: with horizons there may be several thresholds, and in a batch several series. */
function formOf(name: string, hasHorizons: boolean, isBatch: boolean): Pick<Row['form'], 'refusalOf' | 'parse'> {
  if (name === 'min_move_bps' && hasHorizons) return MIN_MOVES;
  return name === 'series' && isBatch ? SERIES_OF_ITEMS : ROWS[name].form;
}

/** Rules about two parameters; `given`: the texts by name. */
function pairProblem(name: string, given: ReadonlyMap<string, string>): FieldProblem | undefined {
  const { excludes, needs } = ROWS[name];
  const value = given.get(name)!;
  if (excludes !== undefined && given.has(excludes.name))
    return fieldProblem(`?${name}`, excludes.code, `${name} and ${excludes.name} ${excludes.why}; both are sent.`);
  if (needs !== undefined && !given.has(needs.name)) return malformed(name, needs.rule, value);
  const from = name === 'to' ? given.get('from') : undefined;
  return from !== undefined && from > value ? malformed(name, `be ${from} or later`, value) : undefined;
}

/**
 * Reads a query string against the parameters of a route. Throws ServiceError `request.invalid` for an unknown, repeated or malformed
 * parameter, with the pointer `?name`. `isBatch`: `series` may name the series of each item.
 */
export function readQuery(text: string, allowed: readonly QueryName[], isBatch = false): ReadQuery {
  if (text === '') return { options: {} };
  const problems: FieldProblem[] = [];
  const given = new Map<string, string>();
  const parameters = new URLSearchParams(text);
  const hasHorizons = allowed.includes('horizons') && (parameters.has('horizons') || parameters.has('horizon_bars'));
  const options: Record<string, unknown> = {};
  const request: Record<string, unknown> = {};
  for (const [name, value] of parameters) {
    const problem = nameProblem(name, allowed, given) ?? valueProblem(name, value, hasHorizons, isBatch);
    given.set(name, value);
    if (problem !== undefined) problems.push(problem);
    else (isOption(name) ? options : request)[ROWS[name].key] = formOf(name, hasHorizons, isBatch).parse(value);
  }
  for (const name of problems.length === 0 ? given.keys() : []) {
    const problem = pairProblem(name, given);
    if (problem !== undefined) problems.push(problem);
  }
  if (problems.length > 0) throw invalidRequest(problems.slice(0, 20));
  if (Array.isArray(request['series'])) {
    request['seriesOfItems'] = request['series'];
    delete request['series'];
  }
  if (!hasHorizons) return { options, ...request };
  const { minMoveBps: thresholds = [undefined], ...ofAll } = options;
  return { options: ofAll, thresholds: thresholds as NonNullable<ReadQuery['thresholds']>, ...request };
}

function nameProblem(name: string, allowed: readonly string[], given: ReadonlyMap<string, string>): FieldProblem | undefined {
  const pointer = `?${name.slice(0, 64)}`;
  if (!allowed.includes(name)) return fieldProblem(pointer, 'query.unknown', `${quoteValue(name)} is not a query parameter of this route.`);
  return given.has(name) ? fieldProblem(pointer, 'query.repeated', `${name} must be sent once; it is repeated.`) : undefined;
}

function valueProblem(name: string, value: string, hasHorizons: boolean, isBatch: boolean): FieldProblem | undefined {
  if (name === 'answer' && hasHorizons)
    return malformed(name, 'be left out with horizons, whose answer has no entries before the last', value);
  const refusal = formOf(name, hasHorizons, isBatch).refusalOf(value);
  if (refusal === undefined) return undefined;
  const { outOfRange = 'query.malformed' } = ROWS[name];
  return fieldProblem(`?${name}`, refusal.isRange === true ? outOfRange : 'query.malformed', refusalText(name, refusal));
}
