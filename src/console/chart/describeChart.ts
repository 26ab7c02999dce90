import { countText, percentText, outcomeText } from '../answer/describeAnswer.ts';
import { unitOf, US_PER_MS } from '../ticks/TickSeries.ts';
import { writeTimestamp } from '../../ticks/timestamps.ts';
import { formatSpan, formatClock } from '../ticks/timeText.ts';
import { ENTRY_DELAY_MS } from '../../engine/features/labelOrigin.ts';
import { priceWriter } from './priceDigits.ts';
import { bandOf, msOf, type Scene } from './Scene.ts';

/** Describes the chart in words, for screen readers. */
export function describeChart(scene: Scene): string {
  const { series, from, last: origin, horizonMs, isMarked, outcome, minMoveBps } = scene;
  const prices = series.prices.subarray(from, origin + 1);
  const [first, last] = [msOf(series, from), msOf(series, origin)];
  const [entry, future] = [last + ENTRY_DELAY_MS, last + horizonMs];
  const write = priceWriter(series, from, origin);
  const stampOf = (ms: number): string => writeTimestamp(Math.round(ms * US_PER_MS));
  const sentences = [
    `${countText(origin + 1 - from, unitOf(series))} over ${formatSpan(last - first)}, from ${stampOf(first)} to ${stampOf(last)} UTC.`,
    `The price begins at ${write(prices[0])} and ends at ${write(prices[prices.length - 1])}; ` +
      `the lowest is ${write(prices.reduce((a, b) => Math.min(a, b)))}, the highest ${write(prices.reduce((a, b) => Math.max(a, b)))}.`,
  ];
  sentences.push(
    `The entry is the first price from ${formatClock(Math.round(entry * US_PER_MS))} on; the future time is ${stampOf(future)}, ${formatSpan(horizonMs)} after the last ${unitOf(series)}.`,
  );
  const band = bandOf(scene);
  if (band !== null) sentences.push(`The threshold band reaches from ${write(band[0])} to ${write(band[1])}.`);
  const [widest] = scene.cones;
  if (widest !== undefined)
    sentences.push(
      `${scene.isReach === true ? 'All prices until then stay' : 'At the future time the price is'} between ${write(widest.low)} and ${write(widest.high)} with a probability of ${percentText(widest.level)}.`,
    );
  if (scene.level !== undefined) sentences.push(`${scene.level.text}.`);
  if (isMarked !== undefined) sentences.push(`The future time is ${isMarked ? '' : 'not '}marked.`);
  if (outcome.status === 'known') sentences.push(outcomeText(outcome, minMoveBps));
  return sentences.join(' ');
}
