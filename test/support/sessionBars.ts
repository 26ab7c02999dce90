import { seededRandom } from '../../src/core/Random.ts';

/** A bar by its beginning, microseconds. */
export type SessionBar = {
  readonly startUs: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
};

type SessionOptions = {
  readonly days: number;
  readonly periodS?: number;
  /** Hours of trading on each day, from 08:00; 24: without a pause. */
  readonly hours?: number;
  /** How much busier the bars are that begin full and half hours. */
  readonly busier?: number;
  readonly seed?: number;
};

/** Bars of a random walk of normal steps in sessions, with volatility that the clock raises at full and half hours. */
export function sessionBars({ days, periodS = 60, hours = 8, busier = 1.6, seed = 1 }: SessionOptions): SessionBar[] {
  const random = seededRandom(seed);
  const firstS = Date.UTC(2024, 0, 8, 8) / 1000;
  let price = 100;
  return Array.from({ length: days }, (_, day) => day).flatMap((day) =>
    Array.from({ length: (hours * 3600) / periodS }, (_, i): SessionBar => {
      const scale = 2e-4 * ((i * periodS) % 1800 === 0 ? busier : 1);
      const path = [price];
      for (let step = 0; step < 12; step++) path.push(path.at(-1)! * Math.exp(scale * random.normal()));
      const rounded = path.map((value) => Number(value.toFixed(5)));
      price = path.at(-1)!;
      const startUs = (firstS + day * 86_400 + i * periodS) * 1e6;
      return { startUs, open: rounded[0], high: Math.max(...rounded), low: Math.min(...rounded), close: rounded.at(-1)! };
    }),
  );
}
