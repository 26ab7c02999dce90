import type { Outcomes } from './HorizonMemory.ts';
import type { RememberedForecast, SeriesMemory } from './SeriesMemory.ts';

/** Every input is within this distance of 0. */
export const INPUT_BOUND = 1.5;
/** Origins that say "no difference" are added to those seen. */
const PRIOR_ORIGINS = 10;
/** Moves that the shares are over. */
const SHARE_MOVES = [30, 100, 400] as const;
/** The shares of fewer moves say nothing. */
const LEAST_MOVES = 10;
const MS_PER_HOUR = 3_600_000;
const SECONDS_PER_MINUTE = 60;
const ENTRY_MS = 1000;

export const MEMORY_INPUTS = ['hour', 'day', 'cal', 'prof', 'prof_day', 'share_30', 'share_100', 'share_400'] as const;
export type MemoryInputName = (typeof MEMORY_INPUTS)[number];

/** `other_version`: the outcomes are those of another version. `no_moves`: the price did not move. */
type MemoryGap = 'too_few_minutes' | 'no_moves' | 'no_outcomes' | 'other_version' | 'no_earlier_day' | 'too_few_moves';

/** A value within ±1.5 and how many minutes, outcomes, days or moves it comes from; or why it is not used. */
export type MemoryInput = { readonly value: number; readonly seen: number } | { readonly why: MemoryGap };

/** The origin of a forecast: the last tick of the memory. */
export type MemoryOrigin = {
  readonly originMs: number;
  readonly horizonMs: number;
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
  /** `hour` and `day` before their means are subtracted, for `SeriesMemory.forecast`; NaN if they are undefined. */
  readonly levels: Pick<RememberedForecast, 'hour' | 'day'>;
};

/**
 * What the memory of a series says at its last tick; `other_origin` if that is another one, because a memory that knows later ticks would
 * look into the future.
 *
 * hour, day      0.5 ln(mean squared move of the last 60 and 1,440 open minutes / 60) - ln sigma(600), minus their own mean over the last
 *                2,000 outcomes, times n / (n + 10)
 * cal            log-odds of the last 400 outcomes minus those of their mean probability, with 10 more outcomes of just this probability
 * prof, prof_day 0.5 ln(profile of the clock over the horizon ahead / over the last hour, / its mean of a day)
 * share_K        log-odds of (moves above theta + 0.34) / (K' + 2) over the last K' <= K moves, minus those of the base
 */
export function memoryInputs(memory: SeriesMemory, origin: MemoryOrigin): MemoryReading | 'other_origin' {
  const { originMs, horizonMs, version } = origin;
  if (memory.lastMs !== originMs) return 'other_origin';
  const horizon = memory.horizonOf(horizonMs);
  const outcomes = horizon.outcomesAt(originMs, memory.lastPrice);
  const levels = levelsOf(memory, origin.sigma);
  const isSameVersion = memory.version === version;
  const shares = SHARE_MOVES.map((most) => shareInput(memory, origin, most));
  return {
    sinceMs: memory.sinceMs,
    outcomes: outcomes.count,
    compared: isSameVersion ? outcomes.compared : 0,
    inputs: {
      hour: centred(levels.hour, outcomes.meanHour, outcomes, memory),
      day: centred(levels.day, outcomes.meanDay, outcomes, memory),
      cal: isSameVersion ? calibration(outcomes) : { why: 'other_version' },
      ...profileInputs(memory, originMs, horizonMs),
      share_30: shares[0]!,
      share_100: shares[1]!,
      share_400: shares[2]!,
    },
    levels,
  };
}

const bounded = (value: number): number => Math.min(INPUT_BOUND, Math.max(-INPUT_BOUND, value));
const logOdds = (p: number): number => Math.log(p / (1 - p));

/** Bits of `hour` and `day` do not depend on theta and horizon: both drop out. */
function levelsOf(memory: SeriesMemory, sigma: number): Pick<RememberedForecast, 'hour' | 'day'> {
  const squares = memory.minutes.meanSquares();
  const level = (square: number): number => (square > 0 ? 0.5 * Math.log(square / SECONDS_PER_MINUTE) - Math.log(sigma) : NaN);
  return squares === null ? { hour: NaN, day: NaN } : { hour: level(squares.hour), day: level(squares.day) };
}

function centred(level: number, mean: number, { levels }: Outcomes, memory: SeriesMemory): MemoryInput {
  if (Number.isNaN(level)) return { why: memory.minutes.meanSquares() === null ? 'too_few_minutes' : 'no_moves' };
  if (levels === 0) return { why: 'no_outcomes' };
  return { value: bounded(((level - mean) * levels) / (levels + PRIOR_ORIGINS)), seen: levels };
}

function calibration({ compared, meanProbability, meanOutcome }: Outcomes): MemoryInput {
  if (compared === 0) return { why: 'no_outcomes' };
  const mixed = (meanOutcome * compared + meanProbability * PRIOR_ORIGINS) / (compared + PRIOR_ORIGINS);
  return { value: bounded(logOdds(mixed) - logOdds(meanProbability)), seen: compared };
}

function profileInputs(
  { minutes: { profile } }: SeriesMemory,
  originMs: number,
  horizonMs: number,
): Record<'prof' | 'prof_day', MemoryInput> {
  const endMs = originMs + horizonMs;
  const seen = Math.min(profile.daysAt(originMs), profile.daysAt(endMs));
  if (seen === 0) return { prof: { why: 'no_earlier_day' }, prof_day: { why: 'no_earlier_day' } };
  const ahead = profile.meanOver(Math.min(originMs + ENTRY_MS, endMs), endMs);
  const against = (mean: number): MemoryInput => ({ value: bounded(0.5 * Math.log(ahead / mean)), seen });
  return { prof: against(profile.meanOver(originMs - MS_PER_HOUR, originMs)), prof_day: against(profile.meanOfDay()) };
}

/** Moves of a horizon near the requested one are compared with theta, scaled by the square root of time. */
function shareInput(memory: SeriesMemory, { originMs, horizonMs, theta, base }: MemoryOrigin, most: number): MemoryInput {
  const horizon = memory.horizonOf(horizonMs);
  const scaled = theta * Math.sqrt(horizon.horizonMs / horizonMs);
  const { above, of } = horizon.countAbove(scaled, most, originMs, memory.lastPrice);
  if (of < LEAST_MOVES) return { why: 'too_few_moves' };
  return { value: bounded(logOdds((above + 0.34) / (of + 2)) - base), seen: of };
}
