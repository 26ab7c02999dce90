import { ServiceError } from '../../src/core/ServiceError.ts';
import type { TickFileOptions } from '../../src/ticks/import/streamTickFile.ts';
import { openTickSources, type TickSource } from '../data/TickSource.ts';
import { movesOf } from './learnWeeks.ts';
import { coveredWeeks } from './marketWeeks.ts';
import { refuseSeveralMarkets, spanOf } from './oneMarket.ts';

/** Weeks of one market from which its time of day is learned without being asked for. */
const LEAST_WEEKS = 4;

/** Whether files are of one market with enough weeks, and how many they cover. Reads them into the cache of the training. Throws the errors of `openTickSources`. */
export async function marketWeeksOf(
  files: readonly string[],
  options: { readonly reading: TickFileOptions; readonly cacheDir: string; readonly fromUs: number; readonly untilUs: number },
): Promise<{ readonly isOneMarket: boolean; readonly weeks: number }> {
  const { reading, cacheDir, fromUs, untilUs } = options;
  const { sources } = await openTickSources(files, { groups: {}, reading, cacheDir, lookAheadS: 1 });
  if (!followEachOther(sources)) return { isOneMarket: false, weeks: 0 };
  const { weeks } = coveredWeeks(movesOf(sources, ...spanOf(sources, fromUs, untilUs)));
  return { isOneMarket: weeks >= LEAST_WEEKS, weeks };
}

function followEachOther(sources: readonly TickSource[]): boolean {
  try {
    refuseSeveralMarkets(sources);
    return true;
  } catch (error) {
    if (error instanceof ServiceError) return false;
    throw error;
  }
}
