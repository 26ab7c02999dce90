import { fieldProblem, invalidRequest, ServiceError, quoteValue } from '../../core/ServiceError.ts';
import { MAX_PROBLEMS, parseTickRequest, type TickRequest } from '../../ticks/parseTickRequest.ts';
import { readTickFile } from '../../ticks/readTickFile.ts';
import { parseDuration } from '../parseDuration.ts';
import { lastTicks } from '../predict.ts';
import { ARGUMENT_NAMES, type ForecastInput } from './toolInputs.ts';

const DEFAULT_TICKS = 500;
/** A language model names the file. Other file names are refused, because error messages quote broken lines. */
const TICK_FILE = /\.(csv|tsv)(\.gz)?$/i;

/** The ticks that a tool call names. Throws ServiceError `request.invalid`, `command.invalid`, and what reading a file throws. */
export async function readInput(input: ForecastInput): Promise<TickRequest> {
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
    return parseTickRequest(Timestamp, Price);
  }
  if (Timestamp !== undefined || Price !== undefined)
    throw new ServiceError('command.invalid', 'Give file, or Timestamp and Price, not both.');
  if (horizon === undefined)
    throw invalidRequest([fieldProblem('/horizon', 'field.missing', 'horizon is required with file; it is missing.')]);
  if (!TICK_FILE.test(file)) throw new ServiceError('command.invalid', 'file must end in .csv, .tsv, .csv.gz or .tsv.gz.');
  const horizonUs = parseHorizon(horizon);
  const series = lastTicks(await readTickFile(file), ticks ?? DEFAULT_TICKS);
  return { series, futureUs: (series.timesUs.at(-1) as number) + horizonUs };
}

function parseHorizon(text: string): number {
  try {
    return parseDuration(text);
  } catch (error) {
    throw new ServiceError('command.invalid', `horizon: ${(error as Error).message}`, { cause: error });
  }
}
