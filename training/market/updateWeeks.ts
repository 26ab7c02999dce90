import { ServiceError } from '../../src/core/ServiceError.ts';
import { US_PER_SECOND } from '../../src/core/units.ts';
import type { TickFileOptions } from '../../src/ticks/import/streamTickFile.ts';
import type { MarketFile } from '../../src/engine/model/MarketModel.ts';
import { formatTimestamp } from '../../src/ticks/timestamps.ts';
import { openTickSources } from '../data/TickSource.ts';

const DAY_US = 86_400 * US_PER_SECOND;
const WEEK_US = 7 * DAY_US;
/** An update learns from as many weeks as the version before it, and from at least these. */
const LEAST_SPAN_US = 8 * WEEK_US;
/** Fewer new ticks change neither profile nor level. */
const LEAST_NEW_US = 6 * DAY_US;

export type UpdateWeeks = {
  /** The first time that the update learns from, and the newest tick, microseconds. */
  readonly fromUs: number;
  readonly lastUs: number;
};

/**
 * The weeks that an update of a market learns from: the newest ones of the files, as many as before. Files are read into the cache of the
 * training. Throws ServiceError `training.too_little_data` without a week of new ticks, or if the files do not reach back to the weeks
 * before: a version stores no ticks.
 */
export async function updateWeeks(
  id: string,
  market: Pick<MarketFile, 'fromUs' | 'toUs'>,
  files: readonly string[],
  { reading, cacheDir }: { readonly reading: TickFileOptions; readonly cacheDir: string },
): Promise<UpdateWeeks> {
  const { sources } = await openTickSources(files, { groups: {}, reading, cacheDir, lookAheadS: 1 });
  return weeksOf(id, market, Math.min(...sources.map(({ firstUs }) => firstUs)), Math.max(...sources.map(({ lastUs }) => lastUs)));
}

/** `firstUs`, `lastUs`: first and last tick of the files. */
export function weeksOf(id: string, { fromUs, toUs }: Pick<MarketFile, 'fromUs' | 'toUs'>, firstUs: number, lastUs: number): UpdateWeeks {
  const stamp = (us: number): string => formatTimestamp(us, 3);
  if (lastUs < toUs + LEAST_NEW_US)
    throw new ServiceError(
      'training.too_little_data',
      `The newest tick is of ${stamp(lastUs)}, and ${id} has learned up to ${stamp(toUs)}: an update needs about a week of newer ticks.`,
    );
  if (firstUs > toUs)
    throw new ServiceError(
      'training.too_little_data',
      `The first tick is of ${stamp(firstUs)}, after the weeks of ${id}, which end at ${stamp(toUs)}. A version stores no ticks: name the files of the last weeks before too, about eight in all.`,
    );
  return { fromUs: Math.max(firstUs, lastUs - Math.max(LEAST_SPAN_US, toUs - fromUs)), lastUs };
}
