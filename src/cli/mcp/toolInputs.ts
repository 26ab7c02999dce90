import { fromJsonSchema } from '@modelcontextprotocol/server';
import { MIN_PROBABILITY } from '../../contract/query.ts';
import { fieldProblem, invalidRequest, ServiceError, quoteValue } from '../../core/ServiceError.ts';
import { US_PER_SECOND } from '../../core/units.ts';
import { MAX_PROBLEMS, parseTickRequest, type TickRequest } from '../../ticks/parseTickRequest.ts';
import { isTickFileName, TICK_FILE_ENDS } from '../../import/refuseForeign.ts';
import { readTickFile, type TickFile } from '../../import/streamTickFile.ts';
import { parseDuration } from '../parseOptions.ts';
import { lastTicks } from '../forecast/predict.ts';

/** Input of `forecast` and `explain`: ticks in the call, or the last ticks of a file. */
export type ForecastInput = {
  readonly Timestamp?: readonly string[];
  readonly Price?: readonly number[];
  readonly file?: string;
  readonly horizon?: string;
  readonly ticks?: number;
  readonly min_move_bps?: number | 'cost';
  readonly min_probability?: number;
  readonly model?: string;
};

const ARGUMENTS = {
  file: {
    type: 'string',
    description:
      'Path of a tick file of any form that tickmark reads: CSV, Parquet, JSON lines, exports of vendors and exchanges, also packed.',
  },
  horizon: { type: 'string', description: 'With file: how far after its last tick, such as 30s, 5m or 1h.' },
  ticks: {
    type: 'integer',
    minimum: 199,
    maximum: 3000,
    description: 'With file: how many of its last ticks are used; by default the number that suits the horizon.',
  },
  Timestamp: {
    type: 'array',
    items: { type: 'string' },
    description: 'Without file: 200 to 3001 timestamps, YYYY-MM-DD HH:MM:SS.fff in UTC, in order; the last is the future one.',
  },
  Price: { type: 'array', items: { type: 'number' }, description: 'One price for each Timestamp; the last is 0.' },
  min_move_bps: {
    anyOf: [{ type: 'number', exclusiveMinimum: 0, maximum: 10_000 }, { const: 'cost' }],
    description:
      'Threshold of a move, in basis points, or cost: the median spread of a file with bid and ask; computed from the ticks by default.',
  },
  min_probability: {
    type: 'number',
    minimum: MIN_PROBABILITY[0],
    maximum: MIN_PROBABILITY[1],
    description: 'Smallest probability that is marked; the decision threshold of the version by default.',
  },
  model: { type: 'string', description: 'Id of a model version; the default version if absent.' },
} as const;

/** Names of the arguments; `readInput` refuses others by name, which a schema does not. */
const ARGUMENT_NAMES: ReadonlySet<string> = new Set(Object.keys(ARGUMENTS));

export const forecastInput = fromJsonSchema<ForecastInput>({ type: 'object', properties: ARGUMENTS });

export const noInput = fromJsonSchema<Record<string, never>>({ type: 'object', properties: {}, additionalProperties: false });

/** A language model names the file. Throws ServiceError `command.invalid` for names that are not those of tick files. */
export function checkTickFile(file: string): void {
  if (!isTickFileName(file)) throw new ServiceError('command.invalid', `file must end in ${TICK_FILE_ENDS}.`);
}

/** What reading a file throws, without the texts that it quotes: the file may be another one, with secrets. */
export async function withoutQuotes<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof ServiceError) || !/"/.test(error.message)) throw error;
    throw new ServiceError(error.code, error.message.replace(/"(?:[^"\\]|\\.)*(?:"|$)/g, '"…"'), { remedy: error.remedy });
  }
}

type ReadInput = { readonly request: TickRequest; readonly file?: TickFile };

/** The ticks that a tool call names; `suited`: the number that suits a horizon in seconds. Throws ServiceError `request.invalid`, `command.invalid`, and what reading a file throws. */
export async function readInput(input: ForecastInput, suited: (horizonS: number) => Promise<number>): Promise<ReadInput> {
  const { file, horizon, ticks, Timestamp, Price } = input;
  const unknown = Object.keys(input)
    .filter((name) => !ARGUMENT_NAMES.has(name))
    .map((name) => fieldProblem(`/${name}`, 'field.unknown', `${quoteValue(name)} is not an argument of this tool.`));
  if (unknown.length > 0) throw invalidRequest(unknown.slice(0, MAX_PROBLEMS));
  if (file === undefined) {
    if (Timestamp === undefined || Price === undefined) {
      throw new ServiceError('command.invalid', 'Give file and horizon, or Timestamp and Price.');
    }
    if (horizon !== undefined || ticks !== undefined) {
      throw new ServiceError('command.invalid', 'horizon and ticks belong to file; with Timestamp, its last entry is the future one.');
    }
    return { request: parseTickRequest(Timestamp, Price) };
  }
  if (Timestamp !== undefined || Price !== undefined)
    throw new ServiceError('command.invalid', 'Give file, or Timestamp and Price, not both.');
  if (horizon === undefined)
    throw invalidRequest([fieldProblem('/horizon', 'field.missing', 'horizon is required with file; it is missing.')]);
  checkTickFile(file);
  const horizonUs = parseHorizon(horizon);
  const read = await withoutQuotes(() => readTickFile(file));
  const series = lastTicks(read, ticks ?? (await suited(horizonUs / US_PER_SECOND)));
  const futureUs = (series.timesUs.at(-1) as number) + horizonUs;
  return { request: { series, futureUs, spreadBps: () => read.spreadBps(series.timesUs.length) }, file: read };
}

function parseHorizon(text: string): number {
  try {
    return parseDuration(text);
  } catch (error) {
    throw new ServiceError('command.invalid', `horizon: ${(error as Error).message}`, { cause: error });
  }
}
