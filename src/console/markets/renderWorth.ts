import { element, tableOf } from '../dom/element.ts';
import { horizonName } from '../live/livePlan.ts';
import { paidText, PAYOFF_HEAD, payoffCells, payoffLines } from '../../engine/scoring/payoffWords.ts';
import type { RecordRow } from '../record/concludeRecord.ts';
import { groupRecord } from '../record/groupRecord.ts';
import { renderRecord } from '../record/renderRecord.ts';
import { writeTimestamp } from '../../ticks/timestamps.ts';
import { worthOf, type TimedForecast } from './worth.ts';

const NONE = 'No outcome is known.';
const hint = (text: string): HTMLElement => element('p', { class: 'hint' }, text);

/** So that a table that is wider than the screen can be moved by keys. */
function scrolled(name: string, table: HTMLElement): HTMLElement {
  return element('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': name }, table);
}

/** Marks of the UTC day and of 30 days next to all forecasts and to volatility alone, as the track record has them. */
export function renderDays(rows: readonly RecordRow[], today: string): readonly HTMLElement[] {
  const parts = [
    ['Today (UTC)', rows.filter(({ day }) => day === today)],
    ['30 days', rows],
  ] as const;
  return parts.flatMap(([name, some]) => [
    element('h3', {}, name),
    some.length === 0 ? hint(NONE) : scrolled(name, renderRecord(groupRecord(some, 'bucket'), 'Track record by horizon', 'Horizon')),
  ]);
}

/** What marks were worth beyond the cost, next to as many by volatility alone and to all windows. */
export function renderWorth(forecasts: readonly TimedForecast[], isOwn: boolean): readonly HTMLElement[] {
  const all = worthOf(forecasts);
  if (all.length === 0) return [hint(NONE)];
  return all.flatMap(({ horizon, sinceUs, table }) => {
    const name = `${horizonName(horizon)}, since ${writeTimestamp(sinceUs).slice(0, 16)} UTC`;
    const rows = payoffLines(table).map(([line, payoff]) => [line, ...payoffCells(payoff)]);
    const shown = tableOf(
      name,
      PAYOFF_HEAD.map((text) => [text]),
      rows,
      'stacked',
    );
    return [element('h4', {}, name), element('p', {}, paidText(table, isOwn)), scrolled(name, shown)];
  });
}
