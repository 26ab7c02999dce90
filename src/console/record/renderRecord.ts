import { percentText, countText } from '../answer/describeAnswer.ts';
import { element, NUMBER, stepText, tableOf } from '../dom/element.ts';
import type { Against } from '../../engine/live/score.ts';
import { type RecordGroup, type RecordRow, FIRST_HEAD, type Grouping, groupRows } from './groupRecord.ts';
import { brierText, conclusionText, intervalTexts, marksText, rivalOf, scaleOf } from './describeComparison.ts';
import { calibrationPlot } from '../replay/drawCurves.ts';
import { type RecordBin, coverageOf } from './recordBins.ts';
import { coverageShare } from '../../engine/scoring/coverage.ts';

/** The horizon, and below it what tells the rows of one horizon apart. */
function groupHead(name: string): readonly (string | HTMLElement)[] {
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

/** What came true over what was said. Without whiskers: overlapping outcomes are no separate evidence, and the record does not know which overlap. */
export function drawRecordCalibration(bins: readonly RecordBin[]): SVGElement {
  const plot = calibrationPlot(Math.max(...bins.flatMap(({ mean, share }) => [mean, share])));
  for (const { mean, share, moved, outcomes } of bins)
    plot.dot('bin', mean, share, [share, share], `${percentText(mean)} said; ${percentText(share)} moved (${moved} of ${outcomes})`);
  return plot.svg;
}

export const calibrationTable = (bins: readonly RecordBin[]): HTMLElement =>
  tableOf(
    'Calibration by tenths of the probability',
    [['Probability'], ['Mean', NUMBER], ['Moved', NUMBER], ['Counts', NUMBER]],
    bins.map(({ from, mean, share, moved, outcomes }) => [
      `${Math.round(from * 100)} to ${Math.round(from * 100) + 10} %`,
      ...[percentText(mean), percentText(share), `${moved.toLocaleString('en')} of ${outcomes.toLocaleString('en')}`],
    ]),
  );

/** How many moves stayed within the ranges: a row for each group, a column for each level; null without a range. */
export function renderCoverage(rows: readonly RecordRow[], by: Grouping, most: number): HTMLElement | null {
  const levels = coverageOf(rows).map(({ level }) => level);
  if (levels.length === 0) return null;
  const groups = groupRows(rows, by)
    .map(({ name, rows: some }) => ({ name, coverage: coverageOf(some) }))
    .filter(({ coverage }) => coverage.length > 0)
    .slice(0, most);
  return tableOf(
    `Moves within their ranges by ${FIRST_HEAD[by].toLowerCase()}`,
    [[FIRST_HEAD[by], 'group-name wide'], ...levels.map((level) => [`${Math.round(level * 100)} % ranges`, NUMBER] as const)],
    groups.map(({ name, coverage }) => [
      groupHead(name),
      ...levels.map((level) => {
        const found = coverage.find((one) => one.level === level);
        if (found === undefined) return '–';
        const { share, interval } = coverageShare(found);
        return [percentText(share), stepText(`${interval.map(percentText).join(' to ')}, ${countText(found.outcomes, 'range')}`)];
      }),
    ]),
    'scores stacked',
  );
}
