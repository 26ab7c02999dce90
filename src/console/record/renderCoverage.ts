import { type Coverage, coverageShare } from '../../engine/scoring/coverage.ts';
import { countText, percentText } from '../answer/describeAnswer.ts';
import { element } from '../dom/element.ts';
import type { RecordRow } from './concludeRecord.ts';
import { coverageOf } from './recordBins.ts';
import { FIRST_HEAD, type Grouping, groupRows } from './groupRecord.ts';

/** How many moves stayed within the ranges: a row for each group, a column for each level; null without a range. */
export function renderCoverage(rows: readonly RecordRow[], by: Grouping, most: number): HTMLElement | null {
  const levels = coverageOf(rows).map(({ level }) => level);
  if (levels.length === 0) return null;
  const cell = (found: Coverage | undefined): HTMLElement => {
    if (found === undefined) return element('td', { class: 'number' }, '–');
    const { share, interval } = coverageShare(found);
    const range = interval.map(percentText).join(' to ');
    return element(
      'td',
      { class: 'number' },
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
    { class: 'scores' },
    element('caption', { class: 'unseen' }, `Moves within their ranges by ${FIRST_HEAD[by].toLowerCase()}`),
    element(
      'thead',
      {},
      element(
        'tr',
        {},
        element('th', { scope: 'col' }, FIRST_HEAD[by]),
        ...levels.map((level) => element('th', { scope: 'col', class: 'number' }, `${Math.round(level * 100)} % ranges`)),
      ),
    ),
    element(
      'tbody',
      {},
      ...groups.map(({ name, coverage }) =>
        element(
          'tr',
          {},
          element('th', { scope: 'row', class: 'group-name' }, name),
          ...levels.map((level) => cell(coverage.find((one) => one.level === level))),
        ),
      ),
    ),
  );
}
