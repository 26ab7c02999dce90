import { percentText } from '../answer/describeAnswer.ts';
import { element } from '../dom/element.ts';
import { FIRST_HEAD, type Grouping, type RecordGroup } from './groupRecord.ts';
import { brierText, conclusionText, intervalTexts, MARKS, marksText, rivalOf, scaleOf } from './describeComparison.ts';
import { figureCell } from './figureCell.ts';
import { renderInterval } from './renderInterval.ts';

const HEADS = ['Outcomes', MARKS, 'All that moved', 'Brier score', 'Volatility', 'Base rate'] as const;
const BETTER = 'Better by (99 % interval)';

/** The horizon, and below it what tells the rows of one horizon apart. */
export function groupHead(name: string): HTMLElement {
  const [horizon, ...rest] = name.split(': ');
  return element(
    'th',
    { scope: 'row', class: 'group-name wide' },
    horizon!,
    rest.length === 0 ? null : element('span', { class: 'step-text' }, rest.join(': ')),
  );
}

/** A row for each group: its marks next to the base rate, its Brier score next to those of the baselines, and the interval. */
export function renderRecord(groups: readonly RecordGroup[], by: Grouping): HTMLElement {
  const scale = scaleOf(groups.map(({ sum }) => sum));
  const rowOf = ({ name, sum }: RecordGroup): HTMLElement => {
    const { outcomes, unscored, marks, hits, moved, brier, against } = sum;
    return element(
      'tr',
      {},
      groupHead(name),
      figureCell('Outcomes', outcomes.toLocaleString('en'), unscored === 0 ? null : `${unscored.toLocaleString('en')} without`),
      figureCell(MARKS, marks === 0 ? '–' : percentText(hits / marks), marksText(sum)),
      figureCell('All that moved', outcomes === 0 ? '–' : percentText(moved / outcomes)),
      figureCell('Brier score', brierText(brier)),
      figureCell('Volatility', brierText(against.baseline?.brier ?? null)),
      figureCell('Base rate', brierText(against.base_rate?.brier ?? null)),
      element(
        'td',
        { class: 'interval-cell wide', 'data-name': BETTER },
        renderInterval(rivalOf(sum), scale),
        ...intervalTexts(sum).map((text) => element('span', { class: 'step-text' }, text)),
        element('span', { class: 'step-text' }, conclusionText(sum)),
      ),
    );
  };
  return element(
    'table',
    { class: 'scores stacked' },
    element('caption', { class: 'unseen' }, `Track record by ${FIRST_HEAD[by].toLowerCase()}`),
    element(
      'thead',
      {},
      element(
        'tr',
        {},
        element('th', { scope: 'col' }, FIRST_HEAD[by]),
        ...HEADS.map((name) => element('th', { scope: 'col', class: 'number' }, name)),
        element('th', { scope: 'col' }, BETTER),
      ),
    ),
    element('tbody', {}, ...groups.map(rowOf)),
  );
}
