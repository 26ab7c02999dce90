import { percentText } from '../answer/describeAnswer.ts';
import { element, NUMBER, stepText, tableOf } from '../dom/element.ts';
import type { Against } from '../../engine/live/score.ts';
import type { RecordGroup } from './groupRecord.ts';
import { brierText, conclusionText, intervalTexts, marksText, rivalOf, scaleOf } from './describeComparison.ts';

/** The horizon, and below it what tells the rows of one horizon apart. */
export function groupHead(name: string): readonly (string | HTMLElement)[] {
  const [horizon = '', ...rest] = name.split(': ');
  return [horizon, ...(rest.length === 0 ? [] : [stepText(rest.join(': '))])];
}

/** The interval as a line with the difference as a dot, over a line at 0; to the right is better. The text next to it says the same. */
function renderInterval(against: Against | null, scale: number): HTMLElement {
  const track = element('div', { class: 'interval', 'aria-hidden': 'true' });
  if (against === null) return track;
  const { difference, interval } = against;
  const placeOf = (value: number): number => 50 + 50 * Math.min(1, Math.max(-1, value / scale));
  const line = element('span', { class: 'interval-line' });
  line.style.left = `${placeOf(interval[0])}%`;
  line.style.right = `${100 - placeOf(interval[1])}%`;
  const dot = element('span', { class: 'interval-dot' });
  dot.style.left = `${placeOf(difference)}%`;
  track.append(element('span', { class: 'interval-zero' }), line, dot);
  return track;
}

/** A row for each group: its marks next to the base rate, its Brier score next to those of the baselines, and the interval. `by`: what a group is. */
export function renderRecord(groups: readonly RecordGroup[], caption: string, by: string): HTMLElement {
  const scale = scaleOf(groups.map(({ sum }) => sum));
  const rowOf = ({ name, sum }: RecordGroup) => {
    const { forecasts, outcomes, unscored, marks, hits, moved, brier, against } = sum;
    const waiting = Object.entries({ pending: forecasts - outcomes - unscored, unknown: unscored })
      .filter(([, count]) => count > 0)
      .map(([what, count]) => `${count.toLocaleString('en')} ${what}`);
    return [
      groupHead(name),
      [outcomes.toLocaleString('en'), waiting.length === 0 ? null : stepText(waiting.join(', '))],
      [marks === 0 ? '–' : percentText(hits / marks), stepText(marksText(sum))],
      outcomes === 0 ? '–' : percentText(moved / outcomes),
      brierText(brier),
      brierText(against.baseline?.brier ?? null),
      brierText(against.base_rate?.brier ?? null),
      [renderInterval(rivalOf(sum), scale), ...[...intervalTexts(sum), conclusionText(sum)].map(stepText)],
    ];
  };
  const columns = [
    [by, 'group-name wide'],
    ['Outcomes', NUMBER],
    ['Marks that came true', 'number two'],
    ...['All that moved', 'Brier score', 'Volatility', 'Base rate'].map((name) => [name, NUMBER] as const),
    ['Better by (99 % interval)', 'interval-cell wide'],
  ] as const;
  return tableOf(caption, columns, groups.map(rowOf), 'scores stacked');
}
