import { percentText } from '../answer/describeAnswer.ts';
import { element } from '../dom/element.ts';
import { FIRST_HEAD, type Grouping, type RecordGroup } from './groupRecord.ts';
import { brierText, conclusionText, intervalText, marksText, scaleOf } from './describeComparison.ts';
import { renderInterval } from './renderInterval.ts';

const HEADS = ['Outcomes', 'Marks that came true', 'All that moved', 'Brier score', 'Baseline'];

/** A row for each group: its marks next to the base rate, its Brier score next to that of the baseline, and the interval. */
export function renderRecord(groups: readonly RecordGroup[], by: Grouping): HTMLElement {
  const scale = scaleOf(groups.map(({ sum }) => sum));
  const number = (text: string, more: string | null = null): HTMLElement =>
    element('td', { class: 'number' }, text, more === null ? null : element('span', { class: 'step-text' }, more));
  const rowOf = ({ name, sum }: RecordGroup): HTMLElement => {
    const { outcomes, unscored, marks, hits, moved, brier, baselineBrier } = sum;
    return element(
      'tr',
      {},
      element('th', { scope: 'row', class: 'group-name' }, name),
      number(outcomes.toLocaleString('en'), unscored === 0 ? null : `${unscored.toLocaleString('en')} without`),
      number(marks === 0 ? '–' : percentText(hits / marks), marksText(sum)),
      number(outcomes === 0 ? '–' : percentText(moved / outcomes)),
      number(brierText(brier)),
      number(brierText(baselineBrier)),
      element(
        'td',
        { class: 'interval-cell' },
        renderInterval(sum, scale),
        element('span', { class: 'step-text' }, intervalText(sum)),
        element('span', { class: 'step-text' }, conclusionText(sum)),
      ),
    );
  };
  return element(
    'table',
    { class: 'scores' },
    element('caption', { class: 'unseen' }, `Track record by ${FIRST_HEAD[by].toLowerCase()}`),
    element(
      'thead',
      {},
      element(
        'tr',
        {},
        element('th', { scope: 'col' }, FIRST_HEAD[by]),
        ...HEADS.map((name) => element('th', { scope: 'col', class: 'number' }, name)),
        element('th', { scope: 'col' }, 'Better by (99 % interval)'),
      ),
    ),
    element('tbody', {}, ...groups.map(rowOf)),
  );
}
