import { newHorizons } from '../../engine/memory/newHorizons.ts';
import { barHorizonsS } from '../ticks/suitableCount.ts';
import { LIVE_HORIZONS } from '../live/livePlan.ts';
import { readLength } from '../ticks/readFuture.ts';

const MS = { h: 3_600_000, m: 60_000, s: 1000 } as const;
const IDS: Readonly<Record<number, string>> = Object.fromEntries(LIVE_HORIZONS.map(({ id, ms }) => [ms, id]));

/** `5m` for 300,000 ms, as the list of live horizons writes it. */
function idOf(ms: number): string {
  const [unit, size] = Object.entries(MS).find(([, each]) => ms >= each && ms % each === 0)!;
  return IDS[ms] ?? `${ms / size}${unit}`;
}

/** The horizons whose moves a series learns, as choices of a market of ticks (null), or of bars of a length such as `1m`. */
export const horizonChoices = (period: string | null): readonly string[] =>
  newHorizons(period === null ? 0 : readLength(period)!).map(({ horizonMs }) => idOf(horizonMs));

/** Those that a market begins with. */
export const usualHorizons = (period: string | null): readonly string[] =>
  period === null ? LIVE_HORIZONS.map(({ id }) => id) : barHorizonsS(readLength(period)!).map((seconds) => idOf(1000 * seconds));
