import { countText, percentText } from '../answer/describeAnswer.ts';
import { type Against, againstText, type Conclusion, concludeSentence } from '../../engine/live/score.ts';
import { type Rival, RIVALS, concludedText } from '../../engine/scoring/conclusions.ts';
import type { RecordSum } from './groupRecord.ts';

export const conclusionText = ({ conclusion, rival }: Conclusion): string =>
  rival === null ? 'no outcome yet' : concludedText(conclusion, rival);

/** The better baseline. */
export const rivalOf = ({ rival, against }: Conclusion): Against | null => (rival === null ? null : against[rival]);

/** How many of the marks came true, with the 90 % interval; the percentage is next to it. */
export function marksText({ marks, hits, hitInterval }: Pick<RecordSum, 'marks' | 'hits' | 'hitInterval'>): string {
  if (hitInterval === null) return 'no mark';
  const [low, high] = hitInterval.map(percentText);
  return `${hits.toLocaleString('en')} of ${countText(marks, 'mark')}: ${low} to ${high}`;
}

const SHORT_NAMES: Readonly<Record<Rival, string>> = { baseline: 'volatility', base_rate: 'base rate' };

/** How much better than each baseline. */
export const intervalTexts = ({ against }: Conclusion): readonly string[] =>
  RIVALS.flatMap((rival) => (against[rival] === null ? [] : [`${SHORT_NAMES[rival]}: ${againstText(against[rival])}`]));

export const brierText = (value: number | null): string => (value === null ? '–' : value.toFixed(4));

/** The half width of a scale: twice that of the median interval. The wide ones of a few outcomes are cut off. */
export function scaleOf(comparisons: readonly Conclusion[]): number {
  const reaches = comparisons.flatMap((one) => {
    const interval = rivalOf(one)?.interval;
    return interval === undefined ? [] : [Math.max(...interval.map(Math.abs))];
  });
  const median = reaches.sort((a, b) => a - b)[Math.floor((reaches.length - 1) / 2)] ?? 0.5;
  return Math.max(2 * median, 1e-6);
}

/** The record of several horizons: which of them are better than the baselines, or worse. The table has their figures. */
export function horizonSentences(groups: readonly { readonly name: string; readonly sum: RecordSum }[]): readonly string[] {
  if (groups.length < 2) return groups.flatMap(({ sum }) => recordSentences(sum));
  const told = groups.map(({ sum }) => conclusionText(sum));
  return [...new Set(told)].map((text) => {
    const names = groups.filter((_, at) => told[at] === text).map(({ name }) => name);
    return `${text.charAt(0).toUpperCase()}${text.slice(1)}: ${names.join('; ')}.`;
  });
}

/** The record of one horizon in sentences: how right the marks were, and what that says against the baselines. */
export function recordSentences(sum: RecordSum): readonly string[] {
  const { forecasts, outcomes, marks, hits, moved } = sum;
  if (forecasts === 0) return [];
  const counted = `${countText(forecasts, 'forecast')}, ${outcomes.toLocaleString('en')} of them with a known outcome.`;
  const told = concludeSentence(sum);
  if (told === undefined) return [counted];
  const base = `${percentText(moved / outcomes)} of all outcomes moved over the threshold`;
  const marked =
    marks === 0
      ? `No forecast was marked; ${base}.`
      : `${hits.toLocaleString('en')} of ${countText(marks, 'mark')} came true (${percentText(hits / marks)}); ${base}.`;
  return [counted, marked, told];
}
