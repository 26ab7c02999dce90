import { ApiError, UnexpectedAnswerError } from './errors.ts';
import type { TickForm } from './tickBody.ts';
import type { HorizonsAnswer, LastAnswer, TickAnswer, TickBatchAnswer } from './wire.ts';
import {
  checkedHorizons,
  forecastOf,
  forecastQuery,
  horizonCount,
  horizonsQuery,
  type Forecast,
  type ForecastOptions,
  type HorizonOptions,
} from './Forecast.ts';
import { PASSING_CODES, type CallOptions, type Transport } from './Transport.ts';

type OfBatch = {
  /** Requests in flight at once; default 4, with `series` always 1. */
  readonly concurrency?: number | undefined;
  /** Name of the series of all bodies, or of each: their forecasts are counted, and use what the earlier ones of the series said. */
  readonly series?: string | readonly string[] | undefined;
};
export type BatchOptions = Omit<ForecastOptions, 'series'> & OfBatch;
/** Options of `forecastHorizonsBatch`. */
export type HorizonsBatchOptions = Omit<HorizonOptions, 'series'> & OfBatch;

type Result<Key extends string, Value> = { readonly ok: true } & { readonly [name in Key]: Value };
type Failed = { readonly ok: false; readonly error: ApiError };
/** The result of one body: an invalid one fails alone. */
export type BatchResult = Result<'forecast', Forecast> | Failed;
export type HorizonsResult = Result<'forecasts', HorizonsAnswer['forecasts']> | Failed;

/** Limits of the route; a test compares them with the service's. */
export const BATCH_ITEMS = 64;
export const BATCH_BYTES = 8 * 1024 * 1024;

/** Indices in groups that fit into one request each, in order: at most 64 items and 8 MiB. @param sizes bytes of each item */
export function splitBatch(sizes: readonly number[]): number[][] {
  const groups: number[][] = [];
  let [group, bytes] = [new Array<number>(), 0];
  for (const [index, size] of sizes.entries()) {
    if (group.length === BATCH_ITEMS || (group.length > 0 && bytes + size + 1 > BATCH_BYTES - 64)) {
      groups.push(group);
      [group, bytes] = [[], 0];
    }
    group.push(index);
    bytes += size + 1;
  }
  return group.length === 0 ? groups : [...groups, group];
}

/** @throws what a single call throws, for a request that failed as a whole: then nothing is returned */
export async function forecastBatches(
  transport: Transport,
  headers: Record<string, string>,
  bodies: readonly TickForm[],
  options: BatchOptions,
): Promise<BatchResult[]> {
  const queryFor = (series: string | undefined): string => forecastQuery({ ...options, series });
  return answerAll({ transport, headers, bodies, options, queryFor }, (body, index, of) => ({
    ...{ ok: true, forecast: forecastOf(bodies[index], body as TickAnswer | LastAnswer, of, options.lastOnly) },
  }));
}

/** The same for bodies without a future entry. */
export async function horizonsBatches(
  transport: Transport,
  headers: Record<string, string>,
  bodies: readonly TickForm[],
  options: HorizonsBatchOptions,
): Promise<HorizonsResult[]> {
  const queryFor = (series: string | undefined): string => horizonsQuery({ ...options, series });
  return answerAll({ transport, headers, bodies, options, queryFor }, (body) => ({
    ...{ ok: true, forecasts: checkedHorizons(body as HorizonsAnswer, horizonCount(options)).forecasts },
  }));
}

type Batch = {
  readonly transport: Transport;
  readonly headers: Record<string, string>;
  readonly bodies: readonly TickForm[];
  readonly options: OfBatch & CallOptions;
  readonly queryFor: (series: string | undefined) => string;
};

async function answerAll<Found>(
  { transport, headers, bodies, options, queryFor }: Batch,
  read: (body: unknown, index: number, headers: Headers) => Found,
): Promise<(Found | Failed)[]> {
  const { series } = options;
  if (typeof series === 'object' && series.length !== bodies.length)
    throw new RangeError(`series must be one name, or one for each of ${bodies.length} bodies; it is ${series.length} names`);
  const texts = bodies.map((body) => JSON.stringify(body));
  // What the service takes is ASCII, so the length of the text is that of its bytes.
  const groups = splitBatch(texts.map((text) => text.length));
  const results = new Array<Found | Failed>(bodies.length);
  await transport.within(options, async (scope) => {
    /** Asks for these, then again for those whose problem passes by itself. */
    const answerGroup = async (group: readonly number[], done: number): Promise<void> => {
      const body = `{"items":[${group.map((index) => texts[index]).join(',')}]}`;
      const names = typeof series === 'object' ? group.map((index) => series[index]).join(',') : series;
      const path = `/auth/ti-tick/batch${queryFor(names)}`;
      const answer = await scope.send<TickBatchAnswer>({ method: 'POST', path, headers, body, isSafeToRepeat: true });
      if (!Array.isArray(answer.body.results)) throw new UnexpectedAnswerError(200, JSON.stringify(answer.body));
      const passing: { index: number; error: ApiError }[] = [];
      for (const [place, index] of group.entries()) {
        const result = answer.body.results[place];
        if (typeof result === 'object' && result !== null && 'body' in result) {
          results[index] = read(result.body, index, answer.headers);
          continue;
        }
        if (typeof result?.problem?.code !== 'string')
          throw new UnexpectedAnswerError(200, `${answer.body.results.length} results for ${group.length} items`);
        const error = new ApiError(result.problem);
        results[index] = { ok: false, error };
        if (error.has(...PASSING_CODES)) passing.push({ index, error });
      }
      if (passing.length === 0) return;
      const longest = passing.reduce((a, b) => ((b.error.retryAfterMs ?? 0) > (a.error.retryAfterMs ?? 0) ? b : a));
      if (!(await scope.waitFor(longest.error, done))) return;
      await answerGroup(
        passing.map(({ index }) => index),
        done + 1,
      );
    };
    const waiting = groups.values();
    const worker = async (): Promise<void> => {
      for (const group of waiting) await answerGroup(group, 0);
    };
    const atOnce = series === undefined ? Math.max(1, options.concurrency ?? 4) : 1;
    await Promise.all(Array.from({ length: atOnce }, worker));
  });
  return results;
}
