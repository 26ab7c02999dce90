import { countText, percentText, priceText, outcomeText } from '../answer/describeAnswer.ts';
import { US_PER_MS } from '../ticks/TickSeries.ts';
import { writeTimestamp } from '../../ticks/timestamps.ts';
import { formatSpan, formatClock } from '../ticks/timeText.ts';
import { bandOf, timesOf, type ChartView } from './ChartView.ts';

/** Describes the chart in words, for screen readers. */
export function describeChart(view: ChartView): string {
  const { series, from, origin, horizonMs, levels, mark, outcome, minMoveBps } = view;
  const prices = series.prices.subarray(from, origin + 1);
  const { first, last, entry, future } = timesOf(view);
  const stampOf = (ms: number): string => writeTimestamp(Math.round(ms * US_PER_MS));
  const sentences = [
    `${countText(origin + 1 - from, 'tick')} over ${formatSpan(last - first)}, from ${stampOf(first)} to ${stampOf(last)} UTC.`,
    `The price begins at ${priceText(prices[0]!)} and ends at ${priceText(prices[prices.length - 1]!)}; ` +
      `the lowest is ${priceText(prices.reduce((a, b) => Math.min(a, b)))}, the highest ${priceText(prices.reduce((a, b) => Math.max(a, b)))}.`,
  ];
  const named = levels.map(
    ({ kind, price, touches }) => `${kind} at ${priceText(price)}, touched ${touches === 1 ? 'once' : `${touches} times`}`,
  );
  sentences.push(named.length === 0 ? 'No level is shown.' : `Levels found: ${named.join('; ')}.`);
  sentences.push(
    `The entry is the first price from ${formatClock(Math.round(entry * US_PER_MS))} on; the future time is ${stampOf(future)}, ${formatSpan(horizonMs)} after the last tick.`,
  );
  const band = bandOf(view);
  if (band !== null)
    sentences.push(
      `The threshold band reaches from ${priceText(Number(band[0].toPrecision(8)))} to ${priceText(Number(band[1].toPrecision(8)))}.`,
    );
  const [widest] = view.ranges;
  if (widest !== undefined)
    sentences.push(
      `At the future time the price is between ${priceText(Number(widest.low.toPrecision(8)))} and ${priceText(Number(widest.high.toPrecision(8)))} with a probability of ${percentText(widest.level)}.`,
    );
  if (mark !== undefined) sentences.push(mark === 1 ? 'The future time is marked.' : 'The future time is not marked.');
  if (outcome.status === 'known') sentences.push(outcomeText(outcome, minMoveBps));
  return sentences.join(' ');
}

const S = 1000;
const MIN = 60 * S;
const H = 60 * MIN;
const D = 24 * H;

/** Steps between ticks of the time axis, in milliseconds: each divides the next unit of the clock, in UTC. */
export const TIME_STEPS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[S, 2 * S, 5 * S, 10 * S, 15 * S, 30 * S],
  ...[MIN, 2 * MIN, 5 * MIN, 10 * MIN, 15 * MIN, 30 * MIN],
  ...[H, 2 * H, 3 * H, 6 * H, 12 * H],
  ...[D, 2 * D, 7 * D, 14 * D, 30 * D, 90 * D, 365 * D],
];

/** The label of one place on the axis, as short as its neighbours allow: milliseconds in UTC and the step between labels. */
export function timeLabel(ms: number, stepMs: number): string {
  const text = new Date(ms).toISOString();
  if (stepMs < S) return text.slice(14, 23);
  if (stepMs < MIN) return text.slice(11, 19);
  if (stepMs < D) return ms % D === 0 ? text.slice(5, 10) : text.slice(11, 16);
  return text.slice(0, 10);
}
