import { payoffTable, type PaidWindow, type PayoffTable } from '../../engine/scoring/payoff.ts';

/** A forecast with a known outcome; without the probability of volatility alone, it is compared with nothing. */
export type TimedForecast = Omit<PaidWindow, 'baselineProbability'> & {
  readonly horizon: string;
  readonly baselineProbability: number | null;
};

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
