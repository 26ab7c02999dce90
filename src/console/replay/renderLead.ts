import { element } from '../dom/element.ts';
import { formatSpan } from '../ticks/timeText.ts';
import type { NoLead } from './leadPlans.ts';
import { LEAD_HEAD, leadCells, type LeadRow } from './leadTable.ts';

/** Of each cell after the horizon, how wide it is on a phone. */
const CELLS = ['wide', null, 'two', null, 'two'] as const;

/** The rows of the table, then the horizons without one. Other horizons than that of the form have a button that chooses them. */
export function renderLead(
  rows: readonly LeadRow[],
  without: readonly NoLead[],
  formMs: number,
  onUse: (row: LeadRow) => void,
): readonly HTMLElement[] {
  const known = rows.filter(({ windows }) => windows > 0);
  const unknown = [...new Set(rows.filter((row) => !known.includes(row)).map(({ horizonMs }) => horizonMs))].map((horizonMs) => ({
    ...{ horizonMs, noWindow: 'no window has a known outcome' },
  }));
  return [
    ...known.map((row, at) => {
      const [first = '', ...cells] = leadCells(row);
      const hasButton = row.horizonMs !== formMs && known[at - 1]?.horizonMs !== row.horizonMs;
      return element(
        'tr',
        {},
        element('th', { scope: 'row', class: 'two' }, first),
        element('td', { class: 'action' }, hasButton ? useButton(row, onUse) : ''),
        ...cells.map((cell, i) => element('td', { 'data-name': LEAD_HEAD[i + 1], class: CELLS[i] }, cell)),
      );
    }),
    ...[...without, ...unknown]
      .sort((a, b) => a.horizonMs - b.horizonMs)
      .map(({ horizonMs, noWindow }) =>
        element(
          'tr',
          {},
          element('th', { scope: 'row' }, formatSpan(horizonMs)),
          element('td', { colspan: LEAD_HEAD.length }, `Not useful: ${noWindow}.`),
        ),
      ),
  ];
}

function useButton(row: LeadRow, onUse: (row: LeadRow) => void): HTMLElement {
  const name = `Use ${formatSpan(row.horizonMs)}`;
  const button = element('button', { type: 'button', class: 'small', 'aria-label': name, title: `Windows of ${row.ticks}` }, 'Use');
  button.addEventListener('click', () => onUse(row));
  return button;
}
