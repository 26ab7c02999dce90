import { byId, element, showFault } from '../dom/element.ts';
import { Failure } from '../service/failureText.ts';
import type { LivePanel } from '../live/LivePanel.ts';
import type { PageService } from '../service/pageService.ts';
import { pairOf } from '../../ticks/exchange/exchanges.ts';
import { keepShown, keptShown, type ShownMarkets } from './keptMarkets.ts';
import { MarketFields } from './MarketFields.ts';
import { MarketItem } from './MarketItem.ts';
import type { MarketChange, Markets, MarketsParts, OpenMarket, WantedMarket } from './Markets.ts';
import { PageMarkets } from './PageMarkets.ts';
import { readCost } from './ruleTexts.ts';
import { ServiceMarkets } from './ServiceMarkets.ts';
import { MOST_CHARTS, SideBySide } from './SideBySide.ts';
import { WorthCard } from './WorthCard.ts';

const DRAW_MS = 250;

export type MarketsHost = {
  readonly service: PageService;
  /** Null: no account. */
  readonly key: () => string | null;
  /** Opens the targets of alerts. */
  readonly openAlerts: () => void;
  /** Shows the chart of a market, and tells of its forecasts. */
  readonly live: Pick<LivePanel, 'showMarket' | 'notify' | 'isIdle' | 'isTelling'>;
};

/** The list of watched markets: adds, opens, changes and removes them. */
export class MarketsPanel {
  readonly #host: MarketsHost;
  readonly #list = byId('market-list', HTMLElement);
  readonly #items = new Map<string, MarketItem>();
  readonly #exchange = byId('live-from', HTMLSelectElement);
  readonly #symbol = byId('live-symbol', HTMLInputElement);
  readonly #kind = byId('live-kind', HTMLSelectElement);
  readonly #cost = byId('market-cost', HTMLInputElement);
  readonly #add = byId('market-add', HTMLButtonElement);
  readonly #fields: MarketFields;
  readonly #charts = new SideBySide();
  readonly #worth: WorthCard;
  #markets: Markets;
  #opened: { readonly id: string; readonly market: OpenMarket } | undefined;
  /** What the browser showed last, until it is shown again. */
  #wanted: ShownMarkets | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(host: MarketsHost) {
    this.#host = host;
    this.#worth = new WorthCard(host.service, host.key);
    this.#fields = new MarketFields(host.openAlerts);
    byId('market-fault', HTMLElement).before(
      element('details', { id: 'market-more' }, element('summary', { id: 'market-more-title' }), this.#fields.element),
    );
    this.#markets = this.#start();
    this.#add.addEventListener('click', () => void this.#addMarket());
    this.#kind.addEventListener('change', () => this.#showFields());
    for (const field of [this.#symbol, this.#cost])
      field.addEventListener('keydown', (event) => {
        if (event.key !== 'Enter') return;
        event.preventDefault();
        void this.#addMarket();
      });
    this.#draw();
  }

  keyChanged(): void {
    this.#markets.close();
    this.#opened?.market.stop();
    this.#opened = undefined;
    for (const id of this.#charts.ids) this.#charts.remove(id);
    this.#markets = this.#start();
    this.#draw();
  }

  recolour(): void {
    this.#charts.recolour();
  }

  #start(): Markets {
    const { service, live } = this.#host;
    const key = this.#host.key();
    this.#wanted = keptShown();
    const parts: MarketsParts = {
      onAlert: (...alert) => live.notify(...alert),
      isTelling: () => live.isTelling,
      onChange: () => this.#drawSoon(),
    };
    const markets = key === null ? new PageMarkets(service, parts) : new ServiceMarkets(service, key, parts);
    this.#showFields(markets);
    return markets;
  }

  /** The fields of a new market suit what its prices are. */
  #showFields(markets = this.#markets): void {
    this.#fields.show(this.#prices.period, undefined, markets.hasAlerts);
    byId('market-more-title', HTMLElement).textContent = markets.hasAlerts ? 'Horizons and alerts' : 'Horizons';
  }

  get #prices(): Pick<WantedMarket, 'kind' | 'period'> {
    const { value } = this.#kind;
    return value === 'trades' || value === 'quotes' ? { kind: value, period: null } : { kind: 'bars', period: value };
  }

  async #addMarket(): Promise<void> {
    const pair = pairOf(this.#symbol.value);
    const costBps = readCost(this.#cost.value);
    const form = this.#fields.read();
    showFault('live-symbol', pair === undefined ? 'Write base and quote with a slash, such as BTC/USDT.' : null);
    showFault('market-cost', typeof costBps === 'string' ? costBps : null);
    if (form === null) byId('market-more', HTMLDetailsElement).open = true;
    if (pair === undefined || typeof costBps === 'string' || form === null || this.#add.disabled) return;
    this.#add.disabled = true;
    const known = new Set(this.#markets.rows.map(({ id }) => id));
    await this.#try(() => this.#markets.add({ exchange: this.#exchange.value, symbol: pair.join('/'), ...this.#prices, ...form, costBps }));
    this.#add.disabled = false;
    const added = this.#markets.rows.find(({ id }) => !known.has(id));
    if (added === undefined) return;
    this.#showFields();
    this.#open(added.id);
  }

  /** Runs a call and shows its failure above the list. */
  async #try(act: () => Promise<void>): Promise<void> {
    const told = byId('market-fault', HTMLElement);
    told.textContent = '';
    try {
      await act();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      told.textContent = [error.message, ...error.fields.map(({ detail }) => detail)].join(' ');
    }
    this.#draw();
  }

  async #change(id: string, change: MarketChange): Promise<void> {
    const horizonsOf = (): string => String(this.#markets.rows.find((row) => row.id === id)?.horizons);
    const before = horizonsOf();
    await this.#try(() => this.#markets.change(id, change));
    if (horizonsOf() === before) return;
    // A chart has the horizons that it was opened with.
    if (this.#opened?.id === id && this.#opened.market.isRunning) this.#open(id);
    if (this.#charts.has(id)) {
      this.#charts.remove(id);
      this.#toggleChart(id);
    }
  }

  /** Whether it was opened: a market of this page is not until its engine is loaded. */
  #open(id: string): boolean {
    const market = this.#markets.open(id);
    if (market === undefined) return false;
    this.#opened = { id, market };
    this.#host.live.showMarket(market);
    this.#keep();
    this.#draw();
    return true;
  }

  #toggleChart(id: string): boolean {
    const row = this.#markets.rows.find((one) => one.id === id);
    if (this.#charts.has(id)) this.#charts.remove(id);
    else if (this.#charts.ids.length >= MOST_CHARTS)
      byId('market-fault', HTMLElement).textContent = `At most ${MOST_CHARTS} charts are shown side by side.`;
    else {
      const market = row && this.#markets.open(id);
      if (row === undefined || market === undefined) return false;
      this.#charts.add(row, market);
    }
    this.#keep();
    this.#draw();
    return true;
  }

  #keep(): void {
    const { open = this.#opened?.id ?? null, charts = [] } = this.#wanted ?? {};
    keepShown({ open: this.#opened?.id ?? open, charts: [...new Set([...this.#charts.ids, ...charts])] });
  }

  /** What was shown last, or in a browser that has shown nothing yet, the first market. */
  #showWanted(): void {
    const wanted = this.#wanted;
    const { rows } = this.#markets;
    if (wanted === undefined || rows.length === 0) return;
    const ids = new Set(rows.map(({ id }) => id));
    const open = wanted.open !== null && ids.has(wanted.open) ? wanted.open : rows[0].id;
    const isOpen = this.#opened !== undefined || !this.#host.live.isIdle || this.#open(open);
    const waiting = wanted.charts.filter((id) => ids.has(id) && !this.#charts.has(id) && !this.#toggleChart(id));
    this.#wanted = isOpen && waiting.length === 0 ? undefined : { open, charts: waiting };
  }

  /** Seldom enough for a list of many markets, and never while the page is hidden. */
  #drawSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#showWanted();
      if (!document.hidden) this.#draw();
    }, DRAW_MS);
  }

  #draw(): void {
    const { rows, where, hasAlerts } = this.#markets;
    byId('market-where', HTMLElement).textContent = where;
    byId('market-none', HTMLElement).hidden = rows.length > 0;
    for (const [id, item] of this.#items) {
      if (rows.some((row) => row.id === id)) continue;
      item.element.remove();
      this.#items.delete(id);
    }
    for (const row of rows) {
      const { id } = row;
      let item = this.#items.get(id);
      if (item === undefined) {
        item = new MarketItem(row, hasAlerts, {
          open: () => void this.#open(id),
          remove: () => void this.#try(() => this.#markets.remove(id)),
          change: (change) => void this.#change(id, change),
          charts: () => void this.#toggleChart(id),
          openAlerts: this.#host.openAlerts,
        });
        this.#items.set(id, item);
        this.#list.append(item.element);
      }
      item.show(row, { isOpen: this.#opened?.id === id && this.#opened.market.isRunning, isCharted: this.#charts.has(id) });
    }
    this.#charts.draw(rows);
    const row = rows.find(({ id }) => id === this.#opened?.id);
    this.#worth.draw(this.#opened?.market, row?.costBps !== null);
  }
}
