import { fieldProblem, invalidRequest, quoteValue, type FieldProblem } from '../core/ServiceError.ts';

/** A shipped version and rule set, so that the calls in the documentation work. */
export const EXAMPLE_MODEL_ID = 'base-2026-11-22';
export const EXAMPLE_RULE_SET_ID = 'base-2';

export const MIN_MOVE_BPS_MAX = 10_000;

/** A decimal number in `min_move_bps`; its range is checked separately. */
const DECIMAL = /^\d{1,20}(\.\d{1,32})?([eE][+-]?\d{1,3})?$/;

/** Every query parameter, as listed in the OpenAPI document. */
export const QUERY_PARAMETERS = {
  answer: {
    description:
      'last: one object for the future timestamp (`timestamp`, `trend_identified`, `status`, `reason`) instead of an entry for each timestamp.',
    schema: { type: 'string', enum: ['last'] },
    example: 'last',
  },
  clock: {
    description: 'off: the forecast does not use the time of day, which a version with a market profile does by default.',
    schema: { type: 'string', enum: ['off'] },
    example: 'off',
  },
  detail: {
    description: 'full: adds `detail` to the last entry, or to the object of `answer=last`.',
    schema: { type: 'string', enum: ['full'] },
    example: 'full',
  },
  min_move_bps: {
    description: 'Your own cost in basis points (10,000 x log return); it replaces the default threshold of the request.',
    schema: { type: 'number', exclusiveMinimum: 0, maximum: MIN_MOVE_BPS_MAX },
    example: 2.5,
  },
  timing: {
    description: 'server: the answer has a Server-Timing header with the milliseconds of each stage.',
    schema: { type: 'string', enum: ['server'] },
    example: 'server',
  },
  model: {
    description: 'Id of a loaded model version; default: the promoted version.',
    schema: { type: 'string', minLength: 1 },
    example: EXAMPLE_MODEL_ID,
  },
} as const;

export type QueryName = keyof typeof QUERY_PARAMETERS;

export type ReadQuery = {
  readonly detail: boolean;
  readonly clockOff?: true;
  readonly lastOnly?: true;
  readonly minMoveBps?: number;
  readonly modelId?: string;
  readonly timing?: true;
};

function malformed(name: QueryName, rule: string, value: string): FieldProblem {
  return fieldProblem(`?${name}`, 'query.malformed', `${name} must be ${rule}; it is ${quoteValue(value)}.`);
}

function valueProblem(name: QueryName, value: string): FieldProblem | undefined {
  if (name === 'answer') return value === 'last' ? undefined : malformed(name, 'last', value);
  if (name === 'clock') return value === 'off' ? undefined : malformed(name, 'off', value);
  if (name === 'detail') return value === 'full' ? undefined : malformed(name, 'full', value);
  if (name === 'timing') return value === 'server' ? undefined : malformed(name, 'server', value);
  if (name === 'model') return value === '' ? malformed(name, 'the id of a model', value) : undefined;
  if (!DECIMAL.test(value)) return malformed(name, 'a decimal number', value);
  if (Number(value) > 0 && Number(value) <= MIN_MOVE_BPS_MAX) return undefined;
  const detail = `min_move_bps must be above 0 and at most ${MIN_MOVE_BPS_MAX}; it is ${quoteValue(value)}.`;
  return fieldProblem('?min_move_bps', 'min_move_bps.out_of_range', detail);
}

/**
 * Reads a query string against the parameters of a route. Throws ServiceError `request.invalid` for an unknown, repeated or malformed
 * parameter, with the pointer `?name`.
 */
export function readQuery(text: string, allowed: readonly QueryName[]): ReadQuery {
  if (text === '') return { detail: false };
  const problems: FieldProblem[] = [];
  const given = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    const pointer = `?${name.slice(0, 64)}`;
    const problem = !allowed.includes(name as QueryName)
      ? fieldProblem(pointer, 'query.unknown', `${quoteValue(name)} is not a query parameter of this route.`)
      : given.has(name)
        ? fieldProblem(pointer, 'query.repeated', `${name} must be sent once; it is repeated.`)
        : valueProblem(name as QueryName, value);
    if (problem !== undefined) problems.push(problem);
    given.set(name, value);
  }
  if (problems.length > 0) throw invalidRequest(problems.slice(0, 20));
  const minMoveBps = given.get('min_move_bps');
  const modelId = given.get('model');
  return {
    detail: given.has('detail'),
    ...(given.has('answer') ? { lastOnly: true } : {}),
    ...(given.has('clock') ? { clockOff: true } : {}),
    ...(minMoveBps === undefined ? {} : { minMoveBps: Number(minMoveBps) }),
    ...(modelId === undefined ? {} : { modelId }),
    ...(given.has('timing') ? { timing: true } : {}),
  };
}
