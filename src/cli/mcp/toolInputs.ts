import { fromJsonSchema } from '@modelcontextprotocol/server';

/** Input of `forecast` and `explain`: ticks in the call, or the last ticks of a file. */
export type ForecastInput = {
  readonly Timestamp?: readonly string[];
  readonly Price?: readonly number[];
  readonly file?: string;
  readonly horizon?: string;
  readonly ticks?: number;
  readonly min_move_bps?: number;
  readonly model?: string;
};

const ARGUMENTS = {
  file: { type: 'string', description: 'Path of a tick file: .csv or .tsv, or gzipped; columns timestamp,price or timestamp,bid,ask.' },
  horizon: { type: 'string', description: 'With file: how far after its last tick, such as 30s, 5m or 1h.' },
  ticks: { type: 'integer', minimum: 199, maximum: 3000, description: 'With file: how many of its last ticks are used; 500 by default.' },
  Timestamp: {
    type: 'array',
    items: { type: 'string' },
    description: 'Without file: 200 to 3001 timestamps, YYYY-MM-DD HH:MM:SS.fff in UTC, in order; the last is the future one.',
  },
  Price: { type: 'array', items: { type: 'number' }, description: 'One price for each Timestamp; the last is 0.' },
  min_move_bps: {
    type: 'number',
    exclusiveMinimum: 0,
    maximum: 10_000,
    description: 'Threshold of a move, in basis points; computed from the ticks by default.',
  },
  model: { type: 'string', description: 'Id of a model version; the default version if absent.' },
} as const;

/** Names of the arguments; `readInput` refuses others by name, which a schema does not. */
export const ARGUMENT_NAMES: ReadonlySet<string> = new Set(Object.keys(ARGUMENTS));

export const forecastInput = fromJsonSchema<ForecastInput>({ type: 'object', properties: ARGUMENTS });

export const noInput = fromJsonSchema<Record<string, never>>({ type: 'object', properties: {}, additionalProperties: false });
