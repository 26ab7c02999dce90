import { fromJsonSchema, type JsonSchemaValidator, type StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import type { Static, TSchema } from 'typebox';
import { compileBodyCheck, type BodyChecks } from '../../contract/compileBodyChecks.ts';
import { parseBars } from '../../contract/duration.ts';
import { optionSchemas } from '../../contract/readOptions.ts';
import { fieldProblem, invalidRequest, ServiceError } from '../../core/ServiceError.ts';
import { Type } from '../../core/schema.ts';
import { US_PER_SECOND } from '../../core/units.ts';
import { readObserved, readTicksByJson } from '../../service/http/handlers/readTicks.ts';
import { barsFrom, type BarWindow } from '../../ticks/BarWindow.ts';
import type { TickRequest } from '../../ticks/parseTickRequest.ts';
import { isTickFileName, TICK_FILE_ENDS } from '../../ticks/import/refuseForeign.ts';
import { readTickFile, type TickFile } from '../../ticks/import/streamTickFile.ts';
import { USUAL_BARS } from '../../engine/model/suitableTicks.ts';
import { parseDuration } from '../parseOptions.ts';
import { refuseShortHorizon } from '../files/refuseShortHorizon.ts';
import { lastTicks } from '../forecast/predict.ts';
import { BAR_TIME_ARGUMENT, barsOfTool, horizonUs } from './toolBars.ts';

/** Arguments of a tool. */
export const text = (description: string) => Type.Optional(Type.String({ description }));
export const texts = (description: string) =>
  Type.Unsafe<readonly string[]>(Type.Array(Type.String(), { minItems: 1, maxItems: 8, description }));
export const whole = (minimum: number, maximum: number, description: string) =>
  Type.Optional(Type.Integer({ minimum, maximum, description }));
export const memoryOff = (description: string) => Type.Optional(Type.Unsafe<'off'>({ const: 'off', description }));
const list = (description: string) => Type.Optional(Type.Array(Type.Number(), { description }));

/** Input of `forecast` and `explain`: ticks in the call, or the last ticks of a file. */
const ForecastSchema = Type.Object({
  file: text(
    'Path of a tick file of any form that tickmark reads: CSV, Parquet, JSON lines, exports of vendors and exchanges, also packed.',
  ),
  horizon: text('With file: how far after its last tick or bar, such as 30s, 5m, 1h, or of bars 3bars.'),
  horizons: Type.Optional(
    texts(
      'Several forecasts in one call, such as ["10s", "60s"] or of bars ["5bars"]: with file in place of horizon, or with observed ticks or bars.',
    ),
  ),
  ticks: whole(199, 3000, 'With file: how many of its last ticks are used; by default the number that suits the horizon.'),
  Timestamp: Type.Optional(
    Type.Array(Type.Union([Type.String(), Type.Number()]), {
      description:
        'Without file: 200 to 3001 timestamps in order, YYYY-MM-DD HH:MM:SS.fff in UTC or with an offset, or epoch milliseconds or microseconds; ' +
        'the last is the future one. With horizons: 199 to 3000, all observed.',
    }),
  ),
  Price: list('One price for each Timestamp; the last is 0, except with horizons.'),
  Bid: list('With Ask, in place of Price.'),
  Ask: list('With Bid, in place of Price.'),
  Close: list('Closes of bars, in place of Price, with bar_time.'),
  Open: list('With Close: Open, High and Low, all three or none.'),
  High: list('With Close, Open and Low.'),
  Low: list('With Close, Open and High.'),
  Volume: Type.Optional(Type.Unsafe<readonly unknown[]>({ type: 'array', description: 'With Close; not used.' })),
  bar_time: BAR_TIME_ARGUMENT,
  ...optionSchemas('forecast tool'),
  memory: memoryOff('With file: leaves out what the ticks before the window and the outcomes of earlier windows say.'),
});
export type ForecastInput = Static<typeof ForecastSchema>;

/** What the SDK gets: it shows the schema and accepts any arguments, because its own refusal has no code and no remedy. */
const AS_IT_IS = {
  getValidator:
    <T>(): JsonSchemaValidator<T> =>
    (data) => ({ valid: true, data: data as T, errorMessage: undefined }),
};

/** The arguments of a tool: their schema for clients, and the check, which throws ServiceError `request.invalid`. */
export type ToolInput<T> = { readonly shown: StandardSchemaWithJSON<T, T>; readonly check: (args: unknown) => T };

export function toolInput<T extends TSchema>(schema: T): ToolInput<Static<T>> {
  const check = compileBodyCheck(schema);
  const shown = fromJsonSchema<Static<T>>(schema as unknown as Readonly<Record<string, unknown>>, AS_IT_IS);
  return { shown, check: (args) => check(args ?? {}) as Static<T> };
}

export const forecastInput = toolInput(ForecastSchema);

export const noInput = toolInput(Type.Object({}));

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

type ReadInput = {
  /** One, or one for each of the argument horizons. */
  readonly requests: readonly { readonly horizon?: string; readonly request: TickRequest }[];
  readonly file?: TickFile;
};

/**
 * The ticks that a tool call names; `suited`: the number that suits a horizon in seconds. Throws ServiceError `request.invalid`,
 * `command.invalid`, and what reading a file throws.
 */
export async function readInput(
  input: ForecastInput,
  checks: Pick<BodyChecks, 'tickRequest' | 'observedTicks'>,
  suited: (horizonS: number) => Promise<number>,
): Promise<ReadInput> {
  const { file, horizon, horizons, ticks, bar_time: barTime, Timestamp, Price, Bid, Ask, Close, Open, High, Low, Volume } = input;
  const lists = { Timestamp, Price, Bid, Ask, Close, Open, High, Low, Volume };
  const hasLists = Object.values(lists).some((list) => list !== undefined);
  if (file !== undefined && hasLists) throw new ServiceError('command.invalid', 'Give file, or Timestamp and Price, not both.');
  if (horizon !== undefined && horizons !== undefined) throw new ServiceError('command.invalid', 'Give horizon or horizons, not both.');
  if (file === undefined) {
    if (!hasLists) throw new ServiceError('command.invalid', 'Give file and horizon, or Timestamp and Price.');
    if (horizon !== undefined || ticks !== undefined)
      throw new ServiceError(
        'command.invalid',
        'horizon and ticks belong to file; with Timestamp, its last entry is the future one, or send horizons with observed ticks.',
      );
    const bytes = Buffer.from(JSON.stringify(lists));
    if (horizons === undefined) return { requests: [{ request: readTicksByJson(bytes, checks, barTime).ticks }] };
    const { stampOf: _, ...observed } = readObserved(bytes, checks, barTime);
    const lastUs = observed.series.timesUs.at(-1)!;
    return {
      requests: severalOf(horizons, observed.bars).map(({ text, us }) => ({
        horizon: text,
        request: { ...observed, futureUs: lastUs + us },
      })),
    };
  }
  if (horizon === undefined && horizons === undefined)
    throw invalidRequest([fieldProblem('/horizon', 'field.missing', 'horizon is required with file; it is missing.')]);
  checkTickFile(file);
  const read = await withoutQuotes(() => readTickFile(file, { barTime }));
  const bars = barsOfTool(read, barTime);
  const wanted = horizons === undefined ? [{ text: undefined, us: parseHorizon(horizon!, bars) }] : severalOf(horizons, bars);
  const requests = [];
  for (const { text, us } of wanted) {
    if (bars === undefined) refuseShortHorizon(file, read.series, us);
    const series = lastTicks(read, ticks ?? (bars === undefined ? await suited(us / US_PER_SECOND) : USUAL_BARS));
    const request = {
      ...{ series, futureUs: series.timesUs.at(-1)! + us },
      ...{ spreadBps: () => read.spreadBps(series.timesUs.length), spreadsBps: () => read.spreadsBps },
      bars: bars && barsFrom(bars, read.rows - series.timesUs.length),
    };
    requests.push({ horizon: text, request });
  }
  return { requests, file: read };
}

/** Throws ServiceError `request.invalid` for a horizon that is none, or occurs twice. */
export function severalOf(horizons: readonly string[], bars: BarWindow | undefined): { readonly text: string; readonly us: number }[] {
  const several = horizons.map((text, i) => ({ text, us: horizonUs(text, `/horizons/${i}`, bars) }));
  const repeated = several.findIndex(({ us }, i) => several.findIndex((each) => each.us === us) < i);
  if (repeated < 0) return several;
  throw invalidRequest([fieldProblem(`/horizons/${repeated}`, 'forecast.id_repeated', 'A horizon occurs twice.')]);
}

function parseHorizon(text: string, bars: BarWindow | undefined): number {
  if (parseBars(text) !== undefined) return horizonUs(text, '/horizon', bars);
  try {
    return parseDuration(text);
  } catch (error) {
    throw new ServiceError('command.invalid', `horizon: ${(error as Error).message}`, { cause: error });
  }
}
