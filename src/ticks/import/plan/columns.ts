import { US_PER_DAY, US_PER_HOUR } from '../../timestamps.ts';
import type { TimeForm } from '../DateReader.ts';
import { formOf, guessTimestampFormat, sampleTimestamps, type TimestampGuess } from '../guessTimestampFormat.ts';
import type { Table } from './Table.ts';
import { clockForms } from './clockForms.ts';
import { type DecimalSign, decimalSignOf, isNoValue, type NumberReading, readNumbers } from './numbers.ts';

/** What the rows of a sample show of one column. */
export type Column = {
  readonly at: number;
  /** As `columnName` makes it; '' without a header. */
  readonly name: string;
  readonly texts: readonly string[];
  /** The readings of its numbers; none where it holds something else. */
  readonly numbers: readonly NumberReading[];
  /** Of the whole file. */
  readonly sign: DecimalSign;
  /** Full stamps, or dates. */
  readonly stamp: { readonly guess: TimestampGuess; readonly us: readonly number[]; readonly isDate: boolean } | undefined;
  /** Forms in which all of it are times of day. */
  readonly clocks: readonly TimeForm[];
  readonly isEmpty: boolean;
  readonly isConstant: boolean;
};

const DATE_ONLY = /^(?:\d{1,4}([-/. ])(?:\d{1,2}|[a-z]{3,9})\1\d{1,4}|[a-z]{3,9}[-/. ]\d{1,2}(?:, |[-/. ])\d{4}|\d{8})$/i;

/** `said`: the sign before decimals, where the user named it. */
export function columnsIn({ rows, names, width }: Table, nowMs: number, said?: string): readonly Column[] {
  const all = Array.from({ length: width }, (_, at) => rows.map((row) => row[at] ?? ''));
  const times = all.map((texts) => ({ clocks: clockForms(texts), full: guessTimestampFormat(texts, undefined, nowMs) }));
  const known = said === 'comma' || said === 'point' ? said : undefined;
  const sign = known ?? decimalSignOf(all.filter((_, at) => times[at].clocks.length === 0 && times[at].full === undefined));
  const dates = all.map((texts) => texts.every((text) => DATE_ONLY.test(text)));
  return all.map((texts, at) => {
    const { clocks, full } = times[at];
    // Without a date next to it, digits are no time of day: ticks of a quiet market can be hours apart.
    const guess = dates.some((isDate, other) => isDate && other !== at) ? epochOrClock(full, clocks, rows, at) : full;
    const us = guess === undefined ? [] : sampleTimestamps(rows, { stampColumn: at, timeColumn: -1 }, formOf(guess));
    const isDate = dates[at] || (us.length > 2 && us.every((each) => each < 0 || each % US_PER_DAY === 0));
    return {
      at,
      name: names?.[at] ?? '',
      texts,
      numbers: readNumbers(texts, sign),
      sign,
      stamp: guess === undefined ? undefined : { guess, us, isDate },
      clocks: guess === undefined || (guess.isSure && guess.form.kind === 'epoch' && guess.form.unit === 'excel') ? clocks : [],
      isEmpty: texts.every(isNoValue),
      isConstant: texts.every((text) => text === texts[0]),
    };
  });
}

/**
 * 1470084210049 is a moment of 2016, or nanoseconds since midnight: of those a tick a second is days apart as an epoch number. Day numbers of a
 * spreadsheet and seconds since midnight stay both.
 */
function epochOrClock(
  guess: TimestampGuess | undefined,
  clocks: readonly TimeForm[],
  rows: readonly (readonly string[])[],
  at: number,
): TimestampGuess | undefined {
  if (guess === undefined || !guess.isSure || guess.form.kind !== 'epoch' || guess.form.unit === 'excel' || clocks.length === 0)
    return guess;
  const us = sampleTimestamps(rows, { stampColumn: at, timeColumn: -1 }, guess.form);
  const steps = us.slice(1).flatMap((each, i) => (each === us[i] ? [] : [Math.abs(each - us[i])]));
  const wild = steps.filter((step) => step > US_PER_HOUR && step % US_PER_HOUR !== 0).length;
  return wild > steps.length / 2 ? undefined : guess;
}

/** How a series of numbers moves: what tells prices from sizes, ids and flags. */
export type Movement = {
  readonly filled: number;
  readonly positive: number;
  readonly isWhole: boolean;
  readonly isConstant: boolean;
  /** From each row to the next by exactly one, or whole numbers that never fall (or rise): an id, a sum. */
  readonly counts: boolean;
  /** In one direction from row to row, as a time does. */
  readonly runs: boolean;
  /** Each value is drawn again within a range, as sizes and delays are: no row is nearer to the one before than to any other. */
  readonly isNoise: boolean;
  /** Large whole numbers that go up and down by one or two: contracts that are open, and no price. */
  readonly isTally: boolean;
  /** Mean size of a step, of the value, without the largest 5 %. */
  readonly step: number;
  /** Of the values in between the highest and the lowest 5 %: the highest by the lowest. */
  readonly span: number;
  readonly median: number;
};

const MIN_COUNTED = 20;
const MIN_RUN = 8;
const MIN_TALLY = 50_000;
const MIN_NOISE = { rows: 60, span: 1.05, distinct: 6, steps: 1.6 } as const;

const known = new WeakMap<readonly number[], Movement>();

/** The same series is looked at by several checks. */
export function movementOf(values: readonly number[]): Movement {
  const found = known.get(values) ?? measured(values);
  known.set(values, found);
  return found;
}

function measured(values: readonly number[]): Movement {
  const filled = values.filter((value) => !Number.isNaN(value));
  const sorted = [...filled].sort((a, b) => a - b);
  const steps = filled.slice(1).map((value, i) => value - filled[i]);
  const isWhole = filled.every(Number.isInteger);
  const moved = steps.filter((step) => step !== 0);
  const isOne = isWhole && filled.length > 3 && (steps.every((step) => step === 1) || steps.every((step) => step === -1));
  const isMonotone = isWhole && moved.length >= MIN_COUNTED && moved.every((step) => Math.sign(step) === Math.sign(moved[0]));
  const low = sorted[Math.floor(sorted.length * 0.05)] ?? NaN;
  const high = sorted[Math.ceil(sorted.length * 0.95) - 1] ?? NaN;
  const sizes = steps
    .map((step, i) => Math.abs(step) / Math.min(Math.abs(filled[i]), Math.abs(filled[i + 1])))
    .filter((size) => Number.isFinite(size));
  const mean = filled.reduce((sum, value) => sum + value, 0) / filled.length;
  const squares = (all: readonly number[]): number => all.reduce((sum, value) => sum + value ** 2, 0);
  // A few wild prices are no reason to take the column for another one.
  const usual = sizes.sort((a, b) => a - b).slice(0, Math.max(1, Math.floor(0.95 * sizes.length)));
  return {
    filled: filled.length / values.length,
    positive: filled.filter((value) => value > 0).length / values.length,
    isWhole,
    isConstant: moved.length === 0,
    counts: isOne || isMonotone,
    runs: moved.length >= Math.max(MIN_RUN, steps.length / 2) && moved.every((step) => Math.sign(step) === Math.sign(moved[0])),
    isNoise:
      filled.length >= MIN_NOISE.rows &&
      high / low > MIN_NOISE.span &&
      new Set(filled).size >= MIN_NOISE.distinct &&
      squares(steps) > MIN_NOISE.steps * squares(filled.map((value) => value - mean)),
    isTally: isWhole && sorted[0] >= MIN_TALLY && steps.every((step) => Math.abs(step) <= 2),
    step: usual.reduce((sum, size) => sum + size, 0) / Math.max(1, usual.length),
    span: high / low,
    median: sorted[Math.floor(sorted.length / 2)] ?? NaN,
  };
}

const MAX_STEP = 0.1;
const MAX_SPAN = 2;

/** Positive values that move by little from row to row and count nothing. */
export function movesLikePrices(movement: Movement): boolean {
  return movesBySteps(movement) && movement.span < MAX_SPAN;
}

/** The same of values that go far: a market may, and sizes do not. */
export function movesBySteps({ positive, isConstant, counts, isNoise, isTally, step }: Movement): boolean {
  return positive >= 0.9 && !isConstant && !counts && !isNoise && !isTally && step <= MAX_STEP;
}
