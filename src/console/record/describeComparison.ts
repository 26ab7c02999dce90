import { countText, percentText } from '../answer/describeAnswer.ts';
import type { Comparison, RecordSum } from './concludeRecord.ts';

const CONCLUSIONS: Readonly<Record<Comparison['conclusion'], string>> = {
  better: 'better than the baseline',
  worse: 'worse than the baseline',
  too_few: 'no difference from the baseline yet',
};

export const conclusionText = ({ conclusion, interval }: Comparison): string =>
  interval === null ? 'no outcome yet' : CONCLUSIONS[conclusion];

/** Head of the column with the text below. */
export const MARKS = 'Marks that came true';

/** How many of the marks came true, with the 90 % interval; the percentage is next to it. */
export function marksText({ marks, hits, hitInterval }: Pick<RecordSum, 'marks' | 'hits' | 'hitInterval'>): string {
  if (hitInterval === null) return 'no mark';
  const [low, high] = hitInterval.map(percentText);
  return `${hits.toLocaleString('en')} of ${countText(marks, 'mark')}: ${low} to ${high}`;
}

/** `+0.0031`; the minus is the typographic one, as wide as the plus. */
export function signedText(value: number, digits = 4): string {
  const text = Math.abs(value).toFixed(digits);
  if (Number(text) === 0) return text;
  return `${value < 0 ? '−' : '+'}${text}`;
}

export function intervalText({ difference, interval }: Comparison): string {
  if (difference === null || interval === null) return '';
  return `${signedText(difference)} (${signedText(interval[0]!)} to ${signedText(interval[1]!)})`;
}

export const brierText = (value: number | null): string => (value === null ? '–' : value.toFixed(4));

/** The half width of a scale: twice that of the median interval. The wide ones of a few outcomes are cut off. */
export function scaleOf(comparisons: readonly Comparison[]): number {
  const reaches = comparisons.flatMap(({ interval }) => (interval === null ? [] : [Math.max(...interval.map(Math.abs))]));
  const median = reaches.sort((a, b) => a - b)[Math.floor((reaches.length - 1) / 2)] ?? 0.5;
  return Math.max(2 * median, 1e-6);
}

/** The record of several horizons: which of them are better than the baseline, or worse. The table has their figures. */
export function horizonSentences(groups: readonly { readonly name: string; readonly sum: RecordSum }[]): readonly string[] {
  if (groups.length < 2) return groups.flatMap(({ sum }) => recordSentences(sum));
  return (['better', 'worse', 'too_few'] as const).flatMap((conclusion) => {
    const names = groups.filter(({ sum }) => sum.conclusion === conclusion).map(({ name }) => name);
    const told = CONCLUSIONS[conclusion];
    return names.length === 0 ? [] : [`${told.charAt(0).toUpperCase()}${told.slice(1)}: ${names.join('; ')}.`];
  });
}

/** The record of one horizon in sentences: how right the marks were, and what that says against the baseline. */
export function recordSentences(sum: RecordSum): readonly string[] {
  const { forecasts, outcomes, marks, hits, moved, conclusion, difference, interval } = sum;
  if (forecasts === 0) return [];
  const counted = `${countText(forecasts, 'forecast')}, ${outcomes.toLocaleString('en')} of them with a known outcome.`;
  if (outcomes === 0 || difference === null || interval === null) return [counted];
  const base = `${percentText(moved / outcomes)} of all outcomes moved over the threshold`;
  const marked =
    marks === 0
      ? `No forecast was marked; ${base}.`
      : `${hits.toLocaleString('en')} of ${countText(marks, 'mark')} came true (${percentText(hits / marks)}); ${base}.`;
  const range = `${signedText(interval[0]!)} to ${signedText(interval[1]!)}`;
  const told = {
    better: `The probabilities are better than the volatility baseline: the Brier score is smaller by ${signedText(difference)} (99 % interval ${range}).`,
    worse: `The probabilities are worse than the volatility baseline: the Brier score differs by ${signedText(difference)} (99 % interval ${range}). The baseline alone would have been the better choice.`,
    too_few: `The probabilities cannot be told apart from the volatility baseline yet (difference ${signedText(difference)}, 99 % interval ${range}).`,
  };
  return [counted, marked, told[conclusion]];
}
