import type { Answered, Outcomes } from './Outcomes.ts';
import type { MemoryView } from './MemoryView.ts';

/** Every input is within this distance of 0. */
export const INPUT_BOUND = 1.5;
/** Origins that say "no difference" are added to those seen. */
const PRIOR_ORIGINS = 10;
/** Moves that the shares are over. */
const SHARE_MOVES = [30, 100, 400] as const;
/** The shares of fewer moves say nothing. */
const LEAST_MOVES = 10;
const SECONDS_PER_MINUTE = 60;

export const MEMORY_INPUTS = ['hour', 'day', 'cal', 'prof', 'prof_day', 'share_30', 'share_100', 'share_400'] as const;
export type MemoryInputName = (typeof MEMORY_INPUTS)[number];

/** `other_version`: the outcomes are those of another version. `no_moves`: the price did not move. */
type MemoryGap = 'too_few_minutes' | 'no_moves' | 'no_outcomes' | 'other_version' | 'no_earlier_day' | 'too_few_moves';

/** A value within ±1.5 and how many minutes, outcomes, days or moves it comes from; or why it is not used. */
export type MemoryInput = { readonly value: number; readonly seen: number } | { readonly why: MemoryGap };

/** A forecast at the origin of the memory. */
export type MemoryQuestion = {
  /** Threshold, log price. */
  readonly theta: number;
  /** sigma(600) of the window, log price per sqrt(second). */
  readonly sigma: number;
  /** Log-odds of the base, and the number of its version. */
  readonly base: number;
  readonly version: number;
};

export type MemoryReading = {
  /** The memory learns since then, ms. */
  readonly sinceMs: number;
  /** Due forecasts of this horizon. */
  readonly outcomes: number;
  /** Those with which the present version is compared, at most 400. */
  readonly compared: number;
  readonly inputs: Readonly<Record<MemoryInputName, MemoryInput>>;
  /** Only the weights of the series use them. */
  readonly clockInputs: { readonly hours: MemoryInput; readonly week: MemoryInput };
  /** Earlier days in the profile of the clock; 0: none. */
  readonly days: number;
  /** The middle of the horizon. */
  readonly midMs: number;
  /** Inputs before their means are subtracted, for `SeriesMemory.forecast`; NaN if they are undefined. */
  readonly levels: Levels;
};

type Levels = Pick<Answered, 'hour' | 'day' | 'hours' | 'week'>;

/**
 * What the memory of a series says at its last tick, which is the origin of the forecast.
 *
 * hour, day      0.5 ln(mean squared move of the last 60 and about 1,440 open minutes / 60) - ln sigma(600), minus their own mean over the last
 *                2,000 outcomes, times n / (n + 10)
 * hours, week    the same for about 240 and 7,200 minutes, of squared moves over the profile of the clock, times that over the horizon ahead
 * cal            log-odds of the last 400 outcomes minus those of their mean probability, with 10 more outcomes of just this probability
 * prof, prof_day 0.5 ln(profile of the clock over the horizon ahead / over the last hour, / its mean of a day)
 * share_K        log-odds of (moves above theta + 0.34) / (K' + 2) over the last K' <= K moves, minus those of the base
 */
export function memoryInputs(view: MemoryView, question: MemoryQuestion): MemoryReading {
  const { outcomes } = view;
  const levels = levelsOf(view, question.sigma);
  const isSameVersion = view.version === question.version;
  const shares = SHARE_MOVES.map((most) => shareInput(view, question, most));
  return {
    sinceMs: view.sinceMs,
    outcomes: outcomes.count,
    compared: isSameVersion ? outcomes.compared : 0,
    inputs: {
      hour: centred(levels.hour, outcomes.meanHour, outcomes.levels, view),
      day: centred(levels.day, outcomes.meanDay, outcomes.levels, view),
      cal: isSameVersion ? calibration(outcomes) : { why: 'other_version' },
      ...profileInputs(view),
      share_30: shares[0],
      share_100: shares[1],
      share_400: shares[2],
    },
    clockInputs: {
      hours: centred(levels.hours, outcomes.meanHours, outcomes.clockLevels, view),
      week: centred(levels.week, outcomes.meanWeek, outcomes.clockLevels, view),
    },
    days: view.profile?.days ?? 0,
    midMs: view.originMs + view.horizonMs / 2,
    levels,
  };
}

const bounded = (value: number): number => Math.min(INPUT_BOUND, Math.max(-INPUT_BOUND, value));
const logOdds = (p: number): number => Math.log(p / (1 - p));

/** Their bits do not depend on theta: it drops out. */
function levelsOf({ squares, profile }: MemoryView, sigma: number): Levels {
  if (squares === null) return { hour: NaN, day: NaN, hours: NaN, week: NaN };
  const level = (square: number): number => (square > 0 ? 0.5 * Math.log(square / SECONDS_PER_MINUTE) - Math.log(sigma) : NaN);
  const ahead = profile?.ahead ?? 1;
  return { hour: level(squares.hour), day: level(squares.day), hours: level(squares.hours * ahead), week: level(squares.week * ahead) };
}

function centred(level: number, mean: number, levels: number, { squares }: MemoryView): MemoryInput {
  if (Number.isNaN(level)) return { why: squares === null ? 'too_few_minutes' : 'no_moves' };
  if (levels === 0) return { why: 'no_outcomes' };
  return { value: bounded(((level - mean) * levels) / (levels + PRIOR_ORIGINS)), seen: levels };
}

function calibration({ compared, meanProbability, meanOutcome }: Outcomes): MemoryInput {
  if (compared === 0) return { why: 'no_outcomes' };
  const mixed = (meanOutcome * compared + meanProbability * PRIOR_ORIGINS) / (compared + PRIOR_ORIGINS);
  return { value: bounded(logOdds(mixed) - logOdds(meanProbability)), seen: compared };
}

function profileInputs({ profile }: MemoryView): Record<'prof' | 'prof_day', MemoryInput> {
  if (profile === null) return { prof: { why: 'no_earlier_day' }, prof_day: { why: 'no_earlier_day' } };
  const against = (mean: number): MemoryInput => ({ value: bounded(0.5 * Math.log(profile.ahead / mean)), seen: profile.days });
  return { prof: against(profile.hour), prof_day: against(profile.day) };
}

/** Moves of a horizon near the requested one are compared with theta, scaled by the square root of time. */
function shareInput({ moves, movesMs, horizonMs }: MemoryView, { theta, base }: MemoryQuestion, most: number): MemoryInput {
  const scaled = theta * Math.sqrt(movesMs / horizonMs);
  const of = Math.min(most, moves.length);
  if (of < LEAST_MOVES) return { why: 'too_few_moves' };
  let above = 0;
  for (let at = moves.length - of; at < moves.length; at++) above += Number(moves[at] > scaled);
  return { value: bounded(logOdds((above + 0.34) / (of + 2)) - base), seen: of };
}
