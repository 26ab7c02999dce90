import { byId, element, tableOf } from '../dom/element.ts';
import { Failure } from '../service/failureText.ts';
import type { Service } from '../service/clientService.ts';
import type { OpenMarket } from './Markets.ts';
import { horizonName } from '../live/livePlan.ts';
import { paidText, PAYOFF_HEAD, payoffCells, payoffLines } from '../../engine/scoring/payoffWords.ts';
import { type RecordRow, groupRecord } from '../record/groupRecord.ts';
import { renderRecord } from '../record/renderRecord.ts';
import { writeTimestamp } from '../../ticks/timestamps.ts';
import { worthOf, type TimedForecast } from './worth.ts';

/** What marks were worth is resampled for its interval: not at each forecast. */
const DRAW_MS = 15_000;
const DAY_MS = 86_400_000;
const DAYS = 30;

/** Whether the forecasts of the opened market are any good: its days in the track record, and what its marks were worth. */
export class WorthCard {
  readonly #service: Pick<Service, 'trackRecord'>;
  readonly #key: () => string | null;
  #market: OpenMarket | undefined;
  #drawnMs = -Infinity;
  #drawnOf = '';
  #later: ReturnType<typeof setTimeout> | undefined;

  constructor(service: Pick<Service, 'trackRecord'>, key: () => string | null) {
    this.#service = service;
    this.#key = key;
  }

  /** `isOwn`: whether the cost of the market is named. */
  draw(market: OpenMarket | undefined, isOwn: boolean): void {
    const isShown = market?.isRunning === true;
    byId('market-worth', HTMLElement).hidden = !isShown;
    if (!isShown) return clearTimeout(this.#later);
    if (market !== this.#market) {
      [this.#market, this.#drawnMs, this.#drawnOf] = [market, -Infinity, ''];
      byId('market-days', HTMLElement).replaceChildren();
    }
    const waitMs = this.#drawnMs + DRAW_MS - performance.now();
    clearTimeout(this.#later);
    // Of a market without trades too.
    this.#later = setTimeout(() => this.draw(market, isOwn), waitMs > 0 ? waitMs : DRAW_MS);
    if (waitMs > 0 || document.hidden) return;
    this.#drawnMs = performance.now();
    void this.#drawDays(market, isOwn);
    const { settled } = market;
    const of = `${settled.length} ${String(isOwn)}`;
    if (of === this.#drawnOf) return;
    this.#drawnOf = of;
    byId('market-worth-tables', HTMLElement).replaceChildren(...renderWorth(settled, isOwn));
  }

  /** The track record of the market, of the kind of threshold that it has now. */
  async #drawDays(market: OpenMarket, isOwn: boolean): Promise<void> {
    const key = this.#key();
    if (key === null || market.recordOf === undefined) return;
    const [from, today] = [DAYS - 1, 0].map((days) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10)) as [string, string];
    try {
      const { rows } = await this.#service.trackRecord(key, { from, series: market.recordOf });
      if (this.#market !== market) return;
      const some = rows.filter(({ own_threshold: own }) => own === isOwn);
      byId('market-days', HTMLElement).replaceChildren(...renderDays(some, today));
    } catch (error) {
      // What was shown stays; the page asks again.
      if (!(error instanceof Failure)) throw error;
    }
  }
}

const NONE = 'No outcome is known.';
const hint = (text: string): HTMLElement => element('p', { class: 'hint' }, text);

/** So that a table that is wider than the screen can be moved by keys. */
function scrolled(name: string, table: HTMLElement): HTMLElement {
  return element('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': name }, table);
}

/** Marks of the UTC day and of 30 days next to all forecasts and to volatility alone, as the track record has them. */
function renderDays(rows: readonly RecordRow[], today: string): readonly HTMLElement[] {
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
function renderWorth(forecasts: readonly TimedForecast[], isOwn: boolean): readonly HTMLElement[] {
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
