import { US_PER_SECOND } from '../../src/core/units.ts';
import type { DaylightRule } from '../../src/engine/features/daylightMinutes.ts';
import { nextClockChange } from '../../src/engine/features/learnProfile.ts';
import type { MarketFile } from '../../src/engine/model/MarketModel.ts';

const WEEK_US = 7 * 86_400 * US_PER_SECOND;
/** The level has its full weight for this long after training, and none from the second limit on. */
const LEVEL_WEEKS = [8, 12] as const;
/** A profile of this age still gains on most months; an older one was not measured. */
const CLOCK_WEEKS = 26;

/**
 * Until when a version uses its level and its clock. Without a daylight-saving rule that the volatility shows, the sessions may move
 * otherwise at the next clock change: the clock ends there, but not while the level is new (docs/adr/0025, 0051).
 */
export function marketAge(toUs: number, daylight: DaylightRule): Pick<MarketFile, 'levelFallsFromUs' | 'levelEndsUs' | 'clockEndsUs'> {
  const levelFallsFromUs = toUs + LEVEL_WEEKS[0] * WEEK_US;
  const changeUs = daylight === 'none' ? nextClockChange(Math.ceil(toUs / US_PER_SECOND)) * US_PER_SECOND : Infinity;
  const levelEndsUs = toUs + LEVEL_WEEKS[1] * WEEK_US;
  return { levelFallsFromUs, levelEndsUs, clockEndsUs: Math.min(toUs + CLOCK_WEEKS * WEEK_US, Math.max(levelFallsFromUs, changeUs)) };
}
