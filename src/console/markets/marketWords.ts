import type { LiveScore } from '../../../clients/typescript/src/index.ts';
import { askedMove, chanceWords, countText, percentText, remedyOf } from '../answer/describeAnswer.ts';
import { horizonName } from '../live/livePlan.ts';

/** The last forecast of a horizon, as a row of the list needs it. */
export type Chance = {
  readonly horizon: string;
  readonly probability: number | null;
  /** How often a move above the threshold came so far; null: no outcome is known. */
  readonly usual: number | null;
  readonly moveBps: number | null;
  readonly isMarked: boolean;
  /** Of what has no probability. */
  readonly reason: string | undefined;
  readonly score: LiveScore | undefined;
};

/** `Beyond your 8.1 bps within 5 min: 41 %, usually 12 %`. */
export function chanceText({ horizon, probability, usual, moveBps, reason }: Omit<Chance, 'score'>, costBps: number | null): string {
  const what = askedMove(horizonName(horizon), costBps);
  // A forecast of the threshold before.
  if (costBps !== null && moveBps !== null && Math.abs(moveBps - costBps) > 1e-9) return `${what}: from the next forecast on`;
  if (probability === null) return `${what}: ${remedyOf(reason)}`;
  return `${what}: ${chanceWords(probability, usual)}`;
}

/** What came of the marks, always next to all forecasts; praise only for what beats the baselines. */
export function scoreText(score: LiveScore | undefined): string {
  if (score === undefined || score.outcomes === 0) return 'no outcome yet';
  const { marks, hits, base_rate: all, outcomes, conclusion, hit_interval: interval } = score;
  const of = `of all ${countText(outcomes, 'forecast')}, ${percentText(all ?? 0)}`;
  const range = interval === null ? '' : ` (${percentText(interval[0])} to ${percentText(interval[1])})`;
  const came = marks === 0 ? 'no mark' : `${hits} of ${countText(marks, 'mark')} came true: ${percentText(hits / marks)}${range}`;
  const verdict = {
    better: 'Better than volatility alone.',
    worse: 'Worse than volatility alone.',
    too_few: 'Not shown to be better than volatility alone.',
  }[conclusion];
  return `${came}; ${of}. ${verdict}`;
}

export type MarketState = { readonly state: string; readonly reason: string | null; readonly ticks: number; readonly kind: string };

/** Forecasts start with so many ticks. */
const LEAST_TICKS = 199;

/** What the market does; empty: it is live and has forecasts. */
export function stateText({ state, reason, ticks, kind }: MarketState): string {
  const why = reason === null ? '' : `: ${reason}`;
  if (state === 'connecting') return `Connecting…${why}`;
  if (state === 'gap') return `Ticks are missing; forecasts begin again with ${LEAST_TICKS} new ones${why}`;
  if (state === 'stopped') return `The service does not connect${why}`;
  if (state === 'failed') return `Failed, trying again${why}`;
  return ticks < LEAST_TICKS
    ? `The first forecast needs ${countText(LEAST_TICKS - ticks, kind === 'bars' ? 'more bar' : 'more tick')}`
    : '';
}
