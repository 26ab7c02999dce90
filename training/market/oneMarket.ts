import { ServiceError } from '../../src/core/ServiceError.ts';
import { US_PER_SECOND } from '../../src/core/units.ts';
import { instrumentName } from '../data/groupSources.ts';
import type { TickSource } from '../data/TickSource.ts';

const WEEK_US = 7 * 86_400 * US_PER_SECOND;
/** The last quarter of the weeks, at most this many of them, is for the gate. */
const TEST_FRACTION = 0.25;
const MOST_TEST_WEEKS = 4;
/** Prices of one market do not jump by more than this factor between two files. */
const MOST_JUMP = 1.5;
/** Files of one market may overlap by this much. */
const MOST_OVERLAP_US = 60 * US_PER_SECOND;

/** All files in one group, named after the first. */
export function oneMarket(files: readonly string[]): Record<string, string[]> {
  const names = files.map(instrumentName);
  return { [names[0] ?? 'market']: names };
}

/** First and last tick of the files inside [fromUs, untilUs], microseconds. */
export function spanOf(sources: readonly TickSource[], fromUs: number, untilUs: number): readonly [fromUs: number, toUs: number] {
  const first = Math.min(...sources.map(({ firstUs }) => firstUs));
  const last = Math.max(...sources.map(({ lastUs }) => lastUs));
  return [Math.floor(Math.max(fromUs, first)), Math.floor(Math.min(untilUs, last))];
}

/** Start of the weeks that the gate uses, microseconds. */
export function lastWeeks(sources: readonly TickSource[], fromUs: number, untilUs: number): number {
  const [first, last] = spanOf(sources, fromUs, untilUs);
  return last - Math.min(MOST_TEST_WEEKS * WEEK_US, TEST_FRACTION * (last - first));
}

/**
 * Throws ServiceError `command.invalid` if two files overlap in time or their prices do not follow on: they are of different markets.
 * `option`: the one that needs a single market.
 */
export function refuseSeveralMarkets(sources: readonly TickSource[], option = '--market'): void {
  const ordered = [...sources].sort((a, b) => a.firstUs - b.firstUs);
  ordered.slice(1).forEach((next, at) => {
    const before = ordered[at] as TickSource;
    const ratio = (next.bars.close[0] as number) / (before.bars.close.at(-1) as number);
    const factor = Math.max(ratio, 1 / ratio);
    const why =
      next.firstUs < before.lastUs - MOST_OVERLAP_US
        ? 'overlap in time'
        : factor > MOST_JUMP
          ? `differ in price by a factor of ${factor.toPrecision(3)}`
          : null;
    if (why !== null)
      throw new ServiceError(
        'command.invalid',
        `${before.file.name} and ${next.file.name} ${why}: ${option} needs the ticks of one market, each time once.`,
      );
  });
}
