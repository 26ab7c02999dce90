import { ServiceError } from '../../src/core/ServiceError.ts';
import { US_PER_SECOND } from '../../src/core/units.ts';
import { movesBefore, recentLevel } from '../../src/engine/features/recentLevel.ts';
import type { MarketFile } from '../../src/engine/model/MarketModel.ts';
import type { ModelFolder } from '../../src/engine/model/modelFiles.ts';
import type { ModelManifest } from '../../src/engine/model/ModelManifest.ts';
import type { RowSet } from '../data/RowSet.ts';
import type { TickSource } from '../data/TickSource.ts';
import { movesOf } from './learnWeeks.ts';
import { refuseSeveralMarkets } from './oneMarket.ts';

const SECONDS_PER_MINUTE = 60;

type ClosesVersion = { readonly manifest: Pick<ModelManifest, 'id'>; readonly market?: ModelFolder['market'] };

/** Throws ServiceError `command.invalid` for a version that ignores closes. */
export function refuseWithoutCloses({ manifest: { id }, market }: ClosesVersion): void {
  if (market?.file.heads.some((head) => head !== null && head.recent !== null) === true) return;
  const why = market === undefined ? 'has not learned a market' : 'gains nothing from them';
  throw new ServiceError('command.invalid', `--closes needs a version that uses closes; ${id} ${why}.`);
}

/**
 * The level of the day before the window of each row, from the one-minute closes of the files: what a caller who sends them as `Closes`
 * gives. Null without enough of them. Throws ServiceError `command.invalid` for files of several markets.
 */
export function recentLevels(
  { daylight, shape }: Pick<MarketFile, 'daylight' | 'shape'>,
  sources: readonly TickSource[],
  { originUs, windowS }: Pick<RowSet, 'originUs' | 'windowS'>,
): (row: number) => number | null {
  refuseSeveralMarkets(sources, '--closes');
  const profile = { daylight, shape: Float64Array.from(shape) };
  const moves = movesOf(sources, -Infinity, Infinity);
  return (row) => {
    const firstS = originUs[row]! / US_PER_SECOND - windowS[row]!;
    const minute = Math.floor(firstS / SECONDS_PER_MINUTE);
    return recentLevel(moves, movesBefore(moves, minute), minute, profile);
  };
}
