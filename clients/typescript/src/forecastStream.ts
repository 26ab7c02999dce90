import type { Forecast, ForecastOptions } from './Forecast.ts';
import { readTicks, type PlainTick, type TickSource } from './readTicks.ts';
import { buildTickBody, priceOf, type TickBody } from './tickBody.ts';
import type { ModelListAnswer } from './wire.ts';

export type StreamOptions = ForecastOptions & {
  /** Ticks in each window, 199 to 3000; default the number that the version names for the horizon, with the memory of `series` if it is given (`window_ticks` of GET /models). */
  readonly window?: number | undefined;
  /** Ticks from the end of one window to the end of the next; default that of the window: none is in two. */
  readonly step?: number | undefined;
  /** Milliseconds from the last tick of a window to the future timestamp. */
  readonly horizonMs: number;
  /** Forecasts in flight at once; default 4. */
  readonly concurrency?: number | undefined;
};

export type StreamedForecast = {
  /** Counts the windows from 0. */
  readonly index: number;
  /** Ticks of the source up to the end of the window. */
  readonly ticks_read: number;
  /** Time of the last tick of the window, in microseconds since 1970, UTC. */
  readonly last_us: number;
  readonly last_price: number;
  /** Microseconds since 1970, UTC. */
  readonly future_us: number;
  readonly forecast: Forecast;
};

type Asker = {
  forecast(body: TickBody, options: ForecastOptions): Promise<Forecast>;
  models(options?: { readonly signal?: AbortSignal | undefined }): Promise<ModelListAnswer>;
};

/** Where a version names no number. */
const USUAL_WINDOW = 500;
/** Earlier releases of the service have no `with_memory`. */
type Named = { readonly up_to_s: number | null; readonly ticks: number; readonly with_memory?: number };
const LEAST_WINDOW = 199;

/** The number of ticks that suits the horizon, with the memory of a series where one is named; the usual one from a service that names none. */
export async function suitableWindow(
  client: Pick<Asker, 'models'>,
  horizonMs: number,
  { model, signal, series, memoryOff }: ForecastOptions,
): Promise<number> {
  const { default: id, models } = await client.models({ signal });
  const named: readonly Named[] | undefined = models.find((one) => one.id === (model ?? id))?.window_ticks;
  const found = named?.find(({ up_to_s: upToS }) => upToS === null || horizonMs <= upToS * 1000);
  const withMemory = series === undefined || memoryOff === true ? undefined : found?.with_memory;
  return withMemory ?? found?.ticks ?? USUAL_WINDOW;
}

type Asked = { readonly result: Promise<StreamedForecast> };

/**
 * A forecast for each window of a stream of ticks, in order. Reads no further than `concurrency` windows ahead of what was taken, and
 * gives each forecast as soon as it is made, however slowly the ticks come. Fewer ticks than a named window give nothing; fewer than the
 * default one, but at least 199, give one forecast of them all.
 *
 * @throws what `forecast` throws, at the window that met it; what the source throws; CsvError; RangeError for options that make no sense
 */
export async function* forecastStream(
  client: Asker,
  source: TickSource,
  options: StreamOptions,
): AsyncGenerator<StreamedForecast, void, undefined> {
  const { window: named, horizonMs, concurrency = 4, signal, ...rest } = options;
  for (const [name, value] of Object.entries({ window: named, step: options.step, concurrency })) {
    if (value !== undefined && (!Number.isInteger(value) || value < 1))
      throw new RangeError(`${name} must be a whole number above 0; it is ${value}`);
  }
  if (!(horizonMs > 0)) throw new RangeError(`horizonMs must be above 0; it is ${horizonMs}`);
  const window = named ?? (await suitableWindow(client, horizonMs, { ...rest, signal }));
  const { step = window } = options;
  const left = new AbortController();
  const ended = signal === undefined ? left.signal : AbortSignal.any([signal, left.signal]);
  let failTurn: (reason: unknown) => void = () => {};
  const onAbort = (): void => failTurn(signal?.reason);
  signal?.addEventListener('abort', onAbort);
  const windows = cutWindows(readTicks(source), window, step, named === undefined ? LEAST_WINDOW : window);
  const asked: Asked[] = [];
  let [pull, index]: [Promise<IteratorResult<Cut, void>> | undefined, number] = [windows.next(), 0];
  try {
    while (pull !== undefined || asked.length > 0) {
      signal?.throwIfAborted();
      const head = asked[0]?.result;
      const isFull = asked.length >= concurrency;
      const next = await new Promise<IteratorResult<Cut, void> | StreamedForecast>((resolve, reject) => {
        // Not Promise.race with one promise for the whole stream: each iteration of an endless one would add a reaction to it.
        failTurn = reject;
        head?.then(resolve, reject);
        if (!isFull) pull?.then(resolve, reject);
      });
      if ('forecast' in next) {
        asked.shift();
        yield next;
      } else if (next.done === true) {
        pull = undefined;
      } else {
        asked.push(ask(client, next.value, index++, horizonMs, { ...rest, signal: ended }));
        pull = windows.next();
      }
    }
  } finally {
    signal?.removeEventListener('abort', onAbort);
    left.abort();
    // A source that waits for its next tick is abandoned, not awaited.
    void Promise.allSettled([pull, windows.return()]);
  }
}

type Cut = { readonly ticks: readonly PlainTick[]; readonly ticksRead: number };

function ask(client: Asker, { ticks, ticksRead }: Cut, index: number, horizonMs: number, options: ForecastOptions): Asked {
  const last = ticks.at(-1)!;
  const futureUs = last.timeUs + Math.round(horizonMs * 1000);
  const forecast = client.forecast(buildTickBody(ticks, { timeUs: futureUs }), options);
  const result = forecast.then((made) => ({
    ...{ index, ticks_read: ticksRead, last_us: last.timeUs, last_price: priceOf(last) },
    ...{ future_us: futureUs, forecast: made },
  }));
  // Its result is read later, in order; until then a failure must not count as unhandled.
  result.catch(() => {});
  return { result };
}

async function* cutWindows(
  groups: AsyncGenerator<PlainTick[], void, undefined>,
  window: number,
  step: number,
  least: number,
): AsyncGenerator<Cut, void, undefined> {
  let kept: PlainTick[] = [];
  let [ticksRead, dueAt] = [0, window];
  for await (const group of groups) {
    for (const tick of group) {
      kept.push(tick);
      if (++ticksRead < dueAt) continue;
      kept = kept.slice(-window);
      yield { ticks: kept.slice(), ticksRead };
      dueAt += step;
    }
    if (kept.length > 2 * window) kept = kept.slice(-window);
  }
  if (ticksRead < window && ticksRead >= least) yield { ticks: kept, ticksRead };
}
