import { type Coverage, coverageShare } from '../../engine/scoring/coverage.ts';
import { countText, percentText } from '../answer/describeAnswer.ts';
import { element } from '../dom/element.ts';
import type { RecordRow } from './concludeRecord.ts';
import { coverageOf } from './recordBins.ts';
import { groupHead } from './renderRecord.ts';
import { FIRST_HEAD, type Grouping, groupRows } from './groupRecord.ts';

/** How many moves stayed within the ranges: a row for each group, a column for each level; null without a range. */
export function renderCoverage(rows: readonly RecordRow[], by: Grouping, most: number): HTMLElement | null {
  const levels = coverageOf(rows).map(({ level }) => level);
  if (levels.length === 0) return null;
  const nameOf = (level: number): string => `${Math.round(level * 100)} % ranges`;
  const cell = (level: number, found: Coverage | undefined): HTMLElement => {
    const options = { class: 'number', 'data-name': nameOf(level) };
    if (found === undefined) return element('td', options, '–');
    const { share, interval } = coverageShare(found);
    const range = interval.map(percentText).join(' to ');
    return element(
      'td',
      options,
      percentText(share),
      element('span', { class: 'step-text' }, `${range}, ${countText(found.outcomes, 'range')}`),
    );
  };
  const groups = groupRows(rows, by)
    .map(({ name, rows: some }) => ({ name, coverage: coverageOf(some) }))
    .filter(({ coverage }) => coverage.length > 0)
    .slice(0, most);
  return element(
    'table',
    { class: 'scores stacked' },
    element('caption', { class: 'unseen' }, `Moves within their ranges by ${FIRST_HEAD[by].toLowerCase()}`),
    element(
      'thead',
      {},
      element(
        'tr',
        {},
        element('th', { scope: 'col' }, FIRST_HEAD[by]),
        ...levels.map((level) => element('th', { scope: 'col', class: 'number' }, nameOf(level))),
      ),
    ),
    element(
      'tbody',
      {},
      ...groups.map(({ name, coverage }) =>
        element(
          'tr',
          {},
          groupHead(name),
          ...levels.map((level) =>
            cell(
              level,
              coverage.find((one) => one.level === level),
            ),
          ),
        ),
      ),
    ),
  );
}
