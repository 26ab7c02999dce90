import type { ForecastLog } from '../live/ForecastLog.ts';
import { parseTimestamp } from '../ticks/timeText.ts';
import { payoffTable, type PaidWindow, type PayoffTable } from '../../engine/scoring/payoff.ts';

/** A forecast with a known outcome; without the probability of volatility alone, it is compared with nothing. */
export type TimedForecast = Omit<PaidWindow, 'baselineProbability'> & {
  readonly horizon: string;
  readonly baselineProbability: number | null;
};

/** Those of a series whose outcome is known. */
export const settledOf = ({ rows }: Pick<ForecastLog, 'rows'>): readonly TimedForecast[] =>
  rows.flatMap(({ message, status, outcome }) => {
    const { id: horizon, probability, min_move_bps: costBps, volatility_probability: baselineProbability = null } = message;
    const { moved = null, move_bps: moveBps = null } = outcome ?? {};
    if (probability === null || costBps === null || moved === null || moveBps === null) return [];
    const timeUs = parseTimestamp(message.last_tick) ?? 0;
    return [{ horizon, timeUs, probability, baselineProbability, isMarked: status === 'identified', moveBps, costBps }];
  });

export type Worth = { readonly horizon: string; readonly sinceUs: number; readonly table: PayoffTable };

/** What marks were worth at each horizon of which an outcome is known. */
export function worthOf(forecasts: readonly TimedForecast[]): readonly Worth[] {
  const byHorizon = new Map<string, PaidWindow[]>();
  for (const { horizon, baselineProbability, ...one } of forecasts) {
    if (baselineProbability === null) continue;
    const windows = byHorizon.get(horizon) ?? [];
    byHorizon.set(horizon, windows);
    windows.push({ ...one, baselineProbability });
  }
  return [...byHorizon].map(([horizon, windows]) => ({
    ...{ horizon, table: payoffTable(windows) },
    sinceUs: windows.reduce((first, { timeUs }) => Math.min(first, timeUs), Infinity),
  }));
}
