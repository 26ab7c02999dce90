import { US_PER_MS, US_PER_SECOND } from '../../core/units.ts';
import { LevelWatch } from '../../ticks/LevelWatch.ts';
import { sessionGapS } from '../features/sessionGap.ts';

/** Watches the level of a live series. `barPeriodMs`: 0 for ticks. */
export function levelsOf(barPeriodMs: number): LevelWatch {
  const pauseUs = sessionGapS(0, barPeriodMs) * US_PER_SECOND;
  return new LevelWatch(barPeriodMs > 0 ? 'bars' : 'trades', { periodUs: barPeriodMs * US_PER_MS, pauseUs });
}
