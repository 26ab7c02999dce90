import { suitableWindow } from '../../clients/typescript/src/forecastStream.ts';
import { ApiError, LiveRefusedError, TickmarkClient, TickmarkError, type Bar, type Tick } from '../../clients/typescript/src/index.ts';
import { parseDurationMs } from '../contract/duration.ts';
import type { ForecastOptions } from '../contract/forecastOptions.ts';
import type { ServerMessage } from '../contract/live.ts';
import type { BarTime } from '../core/barTime.ts';
import { systemClock, type Clock } from '../core/Clock.ts';
import { ServiceError } from '../core/ServiceError.ts';
import { US_PER_MS } from '../core/units.ts';
import type { FeedTicks } from '../ticks/import/FeedBatch.ts';
import { LivePrinter, type Printed } from './liveText.ts';

export type OpenForecasts = {
  readonly horizon: string;
  readonly every: string;
  readonly options: ForecastOptions;
  readonly ticks?: number;
}[];
/** Where ticks go: to series of this process, or of a service. */
export type Target = { push(ticks: FeedTicks, from: number, to: number): Promise<void>; close(): Promise<void> };

export type ServiceTarget = {
  readonly url: string;
  readonly key: string;
  /** false: the forecasts do not use what the series has said before. */
  readonly memory?: boolean | undefined;
  readonly forecasts: OpenForecasts;
  /** The series are bars. */
  readonly bars?: FeedBars | undefined;
  /** Whether to wait at the limit of the key: not for a live feed, whose forecasts would be late from then on. */
  readonly waitsForLimit: boolean;
};
/** Bars of one length, and what their timestamps were before they were placed at their ends. */
export type FeedBars = { readonly periodMs: number; readonly barTime: BarTime };
export type ServiceOutput = { print(message: Printed): void; err(text: string): void };

/** Ticks of one message to a service, after which its answer is waited for, so that a fast file does not fill the buffers. */
const STEP_TICKS = 1000;
/** Over the limit of the key, no tick is sent for so long, and then only a few at once, so that few forecasts are skipped. */
const LIMIT_WAIT_MS = 5000;
const LIMIT_TICKS = 20;

/** Forecasts of a service. The methods throw ServiceErrors about the service, the key and the version. */
export function openService(
  { url, key, memory, forecasts, bars, waitsForLimit }: ServiceTarget,
  { print, err }: ServiceOutput,
  clock: Pick<Clock, 'after'> = systemClock,
): Target {
  const model = forecasts[0]?.options.model;
  const client = new TickmarkClient({ baseUrl: url, apiKey: key });
  // First, because a live connection to a service that is not running tries again without an end.
  const listed = client.models().catch((error: unknown) => {
    throw explained(error, url);
  });
  const suiting = Promise.all(
    forecasts.map(async ({ options: { model: _, ...options }, horizon, every, ticks }) => ({
      ...{ ...options, horizon, every },
      ticks:
        ticks ??
        (bars === undefined
          ? await suitableWindow({ models: () => listed }, parseDurationMs(horizon)!, {
              model,
              series: 'live',
              memoryOff: memory === false,
            })
          : undefined),
    })),
  );
  suiting.catch(() => {});
  // Node.js before 22 has no WebSocket of its own.
  const opening = Promise.all([import('ws'), listed]).then(([{ WebSocket }]) => client.live({ WebSocket: WebSocket as never }));
  const names = new Set<string>();
  const waiting = new Map<string, (score: ServerMessage<'score'>) => void>();
  const printer = new LivePrinter(print, err);
  let isOverLimit = false;
  const read = async (): Promise<never> => {
    const connection = await opening;
    for await (const message of connection) {
      if (message.type === 'score') waiting.get(message.series)?.(message as ServerMessage<'score'>);
      else if (message.type === 'error') throw refusal(message, url);
      else if (message.type === 'forecast' || message.type === 'outcome') printer.read(message as ServerMessage);
      else if (message.type === 'status') {
        printer.read(message as ServerMessage);
        isOverLimit ||= message.skipped?.['limit.exceeded'] !== undefined;
      } else if (message.type === 'disconnected')
        err(`disconnected (${message.code}${message.reason && `, ${message.reason}`}); connecting again\n`);
      // The score of a lost connection does not come.
      else if (message.type === 'connected' && message.is_resumed) for (const series of waiting.keys()) connection.score(series);
    }
    throw new ServiceError('command.invalid', `${url} has closed the connection.`);
  };
  let failure: Error | undefined;
  const failed = read().catch((error: unknown) => {
    throw (failure = error instanceof ApiError ? refusal({ code: error.code, detail: error.message }, url) : explained(error, url));
  });
  failed.catch(() => {});
  /** Throws if the service has refused something: the connection then says only that the series is not open. */
  const check = (): void => {
    if (failure !== undefined) throw failure;
  };
  /** Waits until the service has handled all ticks so far. `isLast`: closes the series. */
  const score = async (series: string, isLast = false): Promise<ServerMessage<'score'>> => {
    const connection = await opening;
    check();
    const answered = new Promise<ServerMessage<'score'>>((resolve) => waiting.set(series, resolve));
    if (isLast) connection.closeSeries(series);
    else connection.score(series);
    const found = await Promise.race([answered, failed]);
    waiting.delete(series);
    return found;
  };
  let stepTicks = STEP_TICKS;
  let hasWaited = false;
  /** After a score: the service has reported skipped forecasts before it. */
  const untilLimit = async (): Promise<void> => {
    stepTicks = isOverLimit && waitsForLimit ? LIMIT_TICKS : STEP_TICKS;
    isOverLimit = false;
    if (stepTicks === STEP_TICKS) return;
    if (!hasWaited) err('The limit of the key is used up: waiting, 5 s at a time.\n');
    hasWaited = true;
    await Promise.race([failed, new Promise<void>((resolve) => clock.after(LIMIT_WAIT_MS, resolve))]);
  };
  const sent = new Map<string, number>();
  const closeOne = async (series: string): Promise<void> => {
    await score(series);
    print(await score(series, true));
    names.delete(series);
    sent.delete(series);
  };
  return {
    async push(ticks, from, to) {
      const connection = await opening;
      for (let start = from; start < to;) {
        const series = ticks.series[start];
        let end = start + 1;
        while (end < to && end - start < stepTicks && ticks.series[end] === series) end++;
        check();
        if (!names.has(series)) {
          const ended = ticks.replaces.get(series);
          if (ended !== undefined && names.has(ended)) await closeOne(ended);
          const sent = bars && { barTime: bars.barTime, period: `${bars.periodMs}ms` };
          connection.open({ series, forecasts: await suiting, model, memoryOff: memory === false, bars: sent });
          names.add(series);
        }
        const places = Array.from({ length: end - start }, (_, k) => start + k);
        if (bars === undefined)
          connection.push(
            series,
            places.map((i) => tickAt(ticks, i)),
          );
        else
          connection.pushBars(
            series,
            places.map((i) => barAt(ticks, i, bars)),
          );
        const count = (sent.get(series) ?? 0) + end - start;
        const isStep = count >= stepTicks;
        sent.set(series, isStep ? 0 : count);
        if (isStep) {
          await score(series);
          await untilLimit();
        }
        start = end;
      }
    },
    async close() {
      try {
        for (const series of names) await closeOne(series);
        printer.end();
      } finally {
        (await opening).close();
      }
    },
  };
}

function tickAt({ timesUs, prices, bids, asks }: FeedTicks, i: number): Tick {
  const timeUs = timesUs[i];
  return Number.isNaN(bids[i]) ? { timeUs, price: prices[i] } : { timeUs, bid: bids[i], ask: asks[i] };
}

/** With its timestamp as it was in the file, so that a wrong reading is found. */
function barAt({ timesUs, prices, ranges }: FeedTicks, i: number, { barTime, periodMs }: FeedBars): Bar {
  const timeUs = timesUs[i] - (barTime === 'open' ? periodMs * US_PER_MS : 0);
  const [close, range] = [prices[i], ranges[i]];
  return range === undefined ? { timeUs, close } : { timeUs, close, open: range[0], high: range[1], low: range[2] };
}

function refusal({ code, detail }: { readonly code: string; readonly detail: string }, url: string): ServiceError {
  if (code === 'auth.key_refused') return keyRefused(detail, url);
  if (code === 'model.unknown') return new ServiceError(code, `${url}: ${detail}`);
  return new ServiceError('command.invalid', `${url}: ${detail} (${code})`);
}

function keyRefused(detail: string, url: string): ServiceError {
  const remedy = 'Give a valid key with --key or TICKMARK_KEY; POST /signup of the service issues one.';
  return new ServiceError('auth.key_refused', `${url}: ${detail}`, { remedy });
}

/** Errors of the client as those of the command. */
function explained(error: unknown, url: string): Error {
  if (!(error instanceof TickmarkError)) return error as Error;
  if (error instanceof LiveRefusedError) return keyRefused(error.message, url);
  const reason = error.message.replace(`GET ${url.replace(/\/+$/, '')}/models: `, '');
  return new ServiceError('server.unreachable', `No service answers at ${url}: ${reason}`, { cause: error });
}
