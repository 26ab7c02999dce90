import { sigmoid } from '../../src/engine/scoring/logOdds.ts';
import { scoreBars } from '../../src/engine/forecast/scoreBars.ts';
import type { BarModel } from '../../src/engine/model/BarModel.ts';
import type { ModelManifest } from '../../src/engine/model/ModelManifest.ts';
import { systemClock } from '../../src/core/Clock.ts';
import { barOrigins } from './barRows.ts';
import type { MadeBars } from './makeBars.ts';

/** An answer at the default threshold, and the outcome. */
export type BarAnswer = {
  readonly periodMs: number;
  readonly horizonMs: number;
  readonly endMs: number;
  /** Earlier days in the profile of the clock. */
  readonly days: number;
  /** Probabilities of the three variances, of the window alone, and with the memory of the series. */
  readonly baseline: number;
  readonly window: number;
  readonly history: number;
  readonly y: 0 | 1;
  /** Whether the move was within the 90 % range; null: there was none. */
  readonly isWithin: boolean | null;
};

const LEVELS = [0.5, 0.8, 0.9];
/** Of a series with more bars, origins are at least five minutes apart. */
const MANY_BARS = 200_000;
const MANY_EVERY_MS = 300_000;

/**
 * Answers of the served code in time order, at origins whose outcomes do not overlap; the memory of the series has seen the bars and outcomes before.
 */
export function evaluateBars(model: BarModel, made: MadeBars, horizonsMs: readonly number[]): BarAnswer[] {
  const { periodMs } = made;
  const manifest = { id: 'left-out', createdAt: '' } as ModelManifest;
  const leastMs = made.series.timesUs.length > MANY_BARS ? MANY_EVERY_MS : 0;
  const answers: BarAnswer[] = [];
  for (const { endMs, horizonMs, move, memory, view, window, bars } of barOrigins(made, horizonsMs, (ms) => Math.max(leastMs, ms))) {
    const { score } = scoreBars({
      ...{ model: { id: 'left-out', manifest, bars: model }, clock: systemClock, theta: null, wantsSides: false },
      request: { series: window, bars, futureUs: window.timesUs.at(-1)! + horizonMs * 1000 },
      ...{ memory: view, options: { range: LEVELS } },
    });
    if (typeof score === 'string') continue;
    if (score.remembered !== null) memory.forecast({ horizonMs, ...score.remembered });
    const { baseline, network } = score.logit;
    const bps = score.outlook?.range?.[2]?.move_bps ?? null;
    const size = Math.abs(move);
    answers.push({
      ...{ periodMs, horizonMs, endMs, days: view.profile?.days ?? 0 },
      ...{ baseline: sigmoid(baseline), window: sigmoid(baseline + network), history: score.probability },
      ...{ y: size > score.theta ? 1 : 0, isWithin: bps === null ? null : size * 1e4 <= bps },
    });
  }
  return answers;
}
