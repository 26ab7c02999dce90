import { countText, priceText } from '../answer/numberText.ts';
import { outcomeText } from '../answer/outcomeText.ts';
import { formatSpan } from '../ticks/formatSpan.ts';
import { formatClock, formatTimestamp } from '../ticks/formatTimestamp.ts';
import { US_PER_MS } from '../ticks/TickSeries.ts';
import { bandOf, timesOf, type ChartView } from './ChartView.ts';

/** Describes the chart in words, for screen readers. */
export function describeChart(view: ChartView): string {
  const { series, from, origin, horizonMs, levels, mark, outcome, minMoveBps } = view;
  const prices = series.prices.subarray(from, origin + 1);
  const { first, last, entry, future } = timesOf(view);
  const stampOf = (ms: number): string => formatTimestamp(Math.round(ms * US_PER_MS));
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
  if (mark !== undefined) sentences.push(mark === 1 ? 'The future time is marked.' : 'The future time is not marked.');
  if (outcome.status === 'known') sentences.push(outcomeText(outcome, minMoveBps));
  return sentences.join(' ');
}
