import { element } from '../dom/element.ts';
import { horizonName } from '../live/livePlan.ts';
import type { PayoffTable } from '../../engine/scoring/payoff.ts';
import { paidText, PAYOFF_HEAD, payoffCells, payoffLines } from '../../engine/scoring/payoffWords.ts';
import { worthOf, type TimedForecast } from './worth.ts';

function tableOf(name: string, table: PayoffTable | null, isOwn: boolean): readonly HTMLElement[] {
  const title = element('h3', {}, name);
  if (table === null) return [title, element('p', { class: 'hint' }, 'No outcome is known.')];
  const rows = payoffLines(table).map(([line, payoff]) =>
    element('tr', {}, element('th', { scope: 'row' }, line), ...payoffCells(payoff).map((cell) => element('td', {}, cell))),
  );
  const head = element('tr', {}, ...PAYOFF_HEAD.map((text) => element('th', { scope: 'col' }, text)));
  const caption = element('caption', { class: 'unseen' }, `What marks were worth: ${name}`);
  const scrolled = element('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': name });
  scrolled.append(element('table', { class: 'stacked' }, caption, element('thead', {}, head), element('tbody', {}, ...rows)));
  return [title, element('p', { class: 'score-words' }, paidText(table, isOwn)), scrolled];
}

/** Whether the forecasts of a market are any good: of each horizon today and in 30 days, next to volatility alone and to all windows. */
export function renderWorth(forecasts: readonly TimedForecast[], isOwn: boolean, nowUs: number): readonly HTMLElement[] {
  const horizons = [...new Set(forecasts.map(({ horizon }) => horizon))];
  if (horizons.length === 0) return [element('p', { class: 'hint' }, 'No outcome is known yet.')];
  return horizons.flatMap((horizon) => {
    const { today, month } = worthOf(forecasts, horizon, nowUs);
    const name = horizonName(horizon);
    return [element('h3', {}, name), ...tableOf(`${name}, today (UTC)`, today, isOwn), ...tableOf(`${name}, 30 days`, month, isOwn)];
  });
}
