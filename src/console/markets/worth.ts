import { payoffTable, type PaidWindow, type PayoffTable } from '../../engine/scoring/payoff.ts';

/** A forecast with a known outcome; without the probability of volatility alone, it is compared with nothing. */
export type TimedForecast = Omit<PaidWindow, 'baselineProbability'> & {
  readonly horizon: string;
  readonly baselineProbability: number | null;
};

const DAY_US = 86_400_000_000;

/** What marks of a horizon were worth on the present UTC day and in 30 days; null: no outcome is known. */
export function worthOf(
  forecasts: readonly TimedForecast[],
  horizon: string,
  nowUs: number,
): Readonly<Record<'today' | 'month', PayoffTable | null>> {
  const windows = forecasts.flatMap(({ baselineProbability, ...one }) =>
    one.horizon === horizon && baselineProbability !== null ? [{ ...one, baselineProbability }] : [],
  );
  const since = (fromUs: number): PayoffTable | null => {
    const part = windows.filter(({ timeUs }) => timeUs >= fromUs);
    return part.length === 0 ? null : payoffTable(part);
  };
  const today = nowUs - (nowUs % DAY_US);
  return { today: since(today), month: since(today - 29 * DAY_US) };
}
