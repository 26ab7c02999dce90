import { RANGE_LEVELS } from '../memory/ranges.ts';
import { NO_TOUCHES, TOUCH_DISTANCES, touchPart, withTouches } from '../memory/TouchOutcomes.ts';
import { type BrierSkill, brierSkill, type ComparedForecast } from '../scoring/brierSkill.ts';
import { logOdds, sigmoid } from '../scoring/logOdds.ts';
import { normalTail } from '../scoring/normal.ts';
import { wilsonInterval } from '../scoring/wilsonInterval.ts';
import type { ReplayedWindow } from './replayTicks.ts';

/** Levels of about one probability. */
type TouchDecile = {
  readonly levels: number;
  /** Means of the probability, and of that of the reflected normal. */
  readonly probability: number;
  readonly baseline: number;
  readonly reached: number;
  readonly reachedInterval90: readonly [number, number];
};

export type TouchCalibration = {
  readonly levels: number;
  readonly reached: number;
  /** By the probability, ascending. */
  readonly deciles: readonly TouchDecile[];
  /** Over the reflected EWMA normal, and over that with a correction by the outcomes before. */
  readonly baseline: BrierSkill;
  readonly learned: BrierSkill;
};

/** Levels that are nearer have finite log-odds all the same. */
const MOST_CHANCE = 0.999;

type Level = ComparedForecast & { readonly learned: number };

/**
 * How often the levels of a replay were reached, by the probability that the forecasts gave, next to two baselines without a network: a driftless
 * normal with the volatility of EWMA, and the same with two weights of the series. Null without levels. `counts`: other windows only teach.
 */
export function touchCalibration(windows: readonly ReplayedWindow[], counts: (window: ReplayedWindow) => boolean): TouchCalibration | null {
  const levels: Level[] = [];
  let known = NO_TOUCHES;
  const plain = TOUCH_DISTANCES.map((distance) => logOdds(2 * normalTail(distance)));
  for (const window of windows) {
    const { touch, timeUs } = window;
    if (touch === undefined || !(touch.sigma > 0)) continue;
    const chance = Math.min(MOST_CHANCE, 2 * normalTail(touch.distance / touch.sigma));
    const learned = sigmoid(logOdds(chance) + touchPart(known, logOdds(chance)));
    // A stop that is triggered already says nothing.
    if (counts(window) && touch.distance > 0)
      for (const { probability, isReached } of touch.levels)
        if (probability !== null) levels.push({ timeUs, probability, rivalProbability: chance, moved: isReached, learned });
    known = withTouches(known, { sigma: touch.sigma, logOdds: plain, reach: RANGE_LEVELS.map(() => NaN) }, touch);
  }
  const baseline = brierSkill(levels);
  const learned = brierSkill(levels.map((level) => ({ ...level, rivalProbability: level.learned })));
  if (baseline === null || learned === null) return null;
  const sorted = levels.toSorted((a, b) => a.probability - b.probability);
  const ends = [...Array(11).keys()].map((at) => Math.round((at * sorted.length) / 10));
  return {
    ...{ levels: levels.length, reached: reachedOf(levels) },
    deciles: ends.slice(1).flatMap((end, at) => (end === ends[at] ? [] : [decileOf(sorted.slice(ends[at], end))])),
    ...{ baseline, learned },
  };
}

const reachedOf = (levels: readonly Level[]): number => levels.filter(({ moved }) => moved).length;

function decileOf(levels: readonly Level[]): TouchDecile {
  const reached = reachedOf(levels);
  const mean = (of: 'probability' | 'rivalProbability'): number => levels.reduce((sum, level) => sum + level[of], 0) / levels.length;
  return {
    ...{ levels: levels.length, probability: mean('probability'), baseline: mean('rivalProbability') },
    ...{ reached, reachedInterval90: wilsonInterval(reached, levels.length) },
  };
}
