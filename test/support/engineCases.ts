import { statusOf } from '../../src/contract/forecastDetail.ts';
import { readSettings } from '../../src/core/config/settings.ts';
import { replayOrigins, replayTicks } from '../../src/engine/forecast/replayTicks.ts';
import { openForecaster } from '../../src/service/app/openForecaster.ts';
import { SAMPLE_WINDOW } from '../../src/ticks/sampleRequest.ts';
import { syntheticTicks } from '../../src/ticks/syntheticTicks.ts';
import { medianSpreadBps, spreadsBps } from '../../src/ticks/tickColumns.ts';
import { midPrice } from '../../src/ticks/midPrice.ts';
import { formatTimestamp } from '../../src/ticks/timestamps.ts';

type Lists = { Timestamp: number[] } & ({ Price: number[] } | { Bid: number[]; Ask: number[] });
type Options = { horizon: string; minMoveBps?: number | 'cost'; minProbability?: number };

/** Calls of an engine with what the service answers on WebAssembly; all of it can be written as JSON. */
export type EngineCases = {
  readonly forecasts: readonly { readonly ticks: Lists; readonly options: Options; readonly wanted: unknown }[];
  readonly replay: { readonly ticks: Lists; readonly options: Options & { ticks: number }; readonly wanted: readonly unknown[] };
};

const HORIZONS = { '10s': 10, '60s': 60, '5m': 300, '1d': 86_400 } as const;
const OPTIONS: readonly Omit<Options, 'horizon'>[] = [{}, { minMoveBps: 3 }, { minProbability: 0.2 }, { minMoveBps: 'cost' }];

export async function engineCases(): Promise<EngineCases> {
  const open = await openForecaster(readSettings({ RUNTIME_BACKEND: 'wasm' }), { batches: [1] });
  try {
    const forecasts = [];
    for (const window of [{ seed: 1, count: 499 }, { seed: 2, count: 799 }, { seed: 3, count: 1099 }, SAMPLE_WINDOW])
      for (const [horizon, horizonS] of Object.entries(HORIZONS))
        for (const options of OPTIONS) {
          const { timesUs, prices } = syntheticTicks(window);
          const Timestamp = Array.from(timesUs);
          const [Bid, Ask] = [Array.from(prices, (price) => price * 0.9999), Array.from(prices, (price) => price * 1.0001)];
          const isQuoted = options.minMoveBps === 'cost';
          const series = { timesUs, prices: isQuoted ? prices.map((_, i) => midPrice(Bid[i], Ask[i])) : prices };
          const futureUs = timesUs.at(-1)! + horizonS * 1_000_000;
          const quotes = isQuoted ? { spreadBps: () => medianSpreadBps(spreadsBps({ Bid, Ask }, Bid.length)), isCrossed: () => false } : {};
          const { mark, reason, detail } = await open.forecaster.forecast({ series, futureUs, ...quotes }, { ...options, detail: true });
          const answer = { timestamp: formatTimestamp(futureUs), trend_identified: mark, status: statusOf(reason), reason };
          const ticks = isQuoted ? { Timestamp, Bid, Ask } : { Timestamp, Price: Array.from(prices) };
          forecasts.push({ ticks, options: { horizon, ...options }, wanted: { ...answer, detail: { ...detail, timings_ms: null } } });
        }
    const series = syntheticTicks({ seed: 4, count: 3000 });
    const plan = { ticks: 300, horizonUs: 10_000_000, everyUs: 11_000_000, options: { minMoveBps: 2 } };
    const wanted = [];
    for await (const window of replayTicks(open.forecaster, series, plan, replayOrigins(series, plan))) {
      const { mark: trend_identified, baselineProbability, minMoveBps, moveBps, isSeen, ...same } = window;
      const renamed = { baseline_probability: baselineProbability, min_move_bps: minMoveBps, move_bps: moveBps, seen_in_training: isSeen };
      wanted.push({ ...same, trend_identified, ...renamed });
    }
    const ticks = { Timestamp: Array.from(series.timesUs), Price: Array.from(series.prices) };
    return { forecasts, replay: { ticks, options: { horizon: '10s', ticks: 300, minMoveBps: 2 }, wanted } };
  } finally {
    await open.close();
  }
}

/** The first place where two values differ: by more than 1e-6 in a number, by anything in the rest; null where there is none. */
function differenceOf(got: unknown, wanted: unknown, place = ''): string | null {
  if (typeof got === 'number' && typeof wanted === 'number' && Math.abs(got - wanted) <= 1e-6 * Math.max(1, Math.abs(wanted))) return null;
  if (typeof got !== 'object' || typeof wanted !== 'object' || got === null || wanted === null)
    return Object.is(got, wanted) ? null : `${place}: ${String(got)}, not ${String(wanted)}`;
  for (const key of new Set([...Object.keys(wanted), ...Object.keys(got)])) {
    const found = differenceOf((got as Record<string, unknown>)[key], (wanted as Record<string, unknown>)[key], `${place}/${key}`);
    if (found !== null) return found;
  }
  return null;
}

/**
 * Runs the cases on an engine, in whatever runs this text, and returns the answers: \`runCases(engine, cases)\`. It stands as a text because a page and a
 * program of an empty project run it.
 */
export const RUN_CASES = `async function runCases(engine, { forecasts, replay }) {
  const answers = [];
  for (const { ticks, options } of forecasts) {
    const answer = await engine.forecast(ticks, options);
    answers.push({ ...answer, detail: { ...answer.detail, timings_ms: null } });
  }
  const windows = [];
  for await (const window of engine.replay(replay.ticks, replay.options)) windows.push(window);
  return { answers, windows };
}`;

/** What `runCases` returned, compared with the service: the first difference, or null. */
export function checkCases({ forecasts, replay }: EngineCases, got: { answers: unknown[]; windows: unknown[] }): string | null {
  return differenceOf(got, { answers: forecasts.map(({ wanted }) => wanted), windows: replay.wanted });
}
