import { byId, showFault } from '../dom/element.ts';
import { Failure } from '../service/failureText.ts';
import type { PageService } from '../service/pageService.ts';
import { EXCHANGES, pairOf } from '../../ticks/exchange/exchanges.ts';
import { MarketItem } from './MarketItem.ts';
import type { Markets, MarketsParts, OpenMarket } from './Markets.ts';
import { PageMarkets } from './PageMarkets.ts';
import { readCost } from './readCost.ts';
import { renderDays, renderWorth } from './renderWorth.ts';
import { ServiceMarkets } from './ServiceMarkets.ts';

const DRAW_MS = 250;
/** What marks were worth is resampled for its interval: not at each forecast. */
const WORTH_MS = 15_000;
const DAY_MS = 86_400_000;
const DAYS = 30;

export type MarketsHost = Pick<MarketsParts, 'onMark'> & {
  readonly service: PageService;
  /** Null: no account. */
  readonly key: () => string | null;
  /** Shows the chart of a market. */
  readonly show: (market: OpenMarket) => void;
};

/** The list of watched markets: adds, opens and removes them, and asks for the cost of each. */
export class MarketsPanel {
  readonly #host: MarketsHost;
  readonly #list = byId('market-list', HTMLElement);
  readonly #items = new Map<string, MarketItem>();
  readonly #exchange = byId('live-from', HTMLSelectElement);
  readonly #symbol = byId('live-symbol', HTMLInputElement);
  readonly #kind = byId('live-kind', HTMLSelectElement);
  readonly #cost = byId('market-cost', HTMLInputElement);
  readonly #add = byId('market-add', HTMLButtonElement);
  #markets: Markets;
  #opened: { readonly id: string; readonly market: OpenMarket } | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #worthAtMs = -Infinity;
  #worthOf = '';

  constructor(host: MarketsHost) {
    this.#host = host;
    this.#markets = this.#start();
    this.#add.addEventListener('click', () => void this.#addMarket());
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
    this.#markets = this.#start();
    this.#draw();
  }

  #start(): Markets {
    const key = this.#host.key();
    const parts = { onMark: this.#host.onMark, onChange: () => this.#drawSoon() };
    return key === null ? new PageMarkets(this.#host.service, parts) : new ServiceMarkets(this.#host.service, key, parts);
  }

  async #addMarket(): Promise<void> {
    const pair = pairOf(this.#symbol.value);
    const costBps = readCost(this.#cost.value);
    showFault('live-symbol', pair === undefined ? 'Write base and quote with a slash, such as BTC/USDT.' : null);
    showFault('market-cost', typeof costBps === 'string' ? costBps : null);
    if (pair === undefined || typeof costBps === 'string' || this.#add.disabled) return;
    this.#add.disabled = true;
    const known = new Set(this.#markets.rows.map(({ id }) => id));
    const kind = this.#kind.value === 'quotes' ? 'quotes' : 'trades';
    await this.#try(() => this.#markets.add({ exchange: this.#exchange.value, symbol: pair.join('/'), kind, costBps }));
    this.#add.disabled = false;
    const added = this.#markets.rows.find(({ id }) => !known.has(id));
    if (added !== undefined) this.#open(added.id);
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

  #open(id: string): void {
    const market = this.#markets.open(id);
    if (market === undefined) return;
    this.#opened = { id, market };
    this.#worthAtMs = -Infinity;
    this.#host.show(market);
    this.#draw();
  }

  /** Seldom enough for a list of many markets, and never while the page is hidden. */
  #drawSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      if (!document.hidden) this.#draw();
    }, DRAW_MS);
  }

  #draw(): void {
    const { rows, where } = this.#markets;
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
        item = new MarketItem(row, EXCHANGES[row.exchange]?.title ?? row.exchange, {
          open: () => this.#open(id),
          remove: () => void this.#try(() => this.#markets.remove(id)),
          setCost: (costBps) => void this.#try(() => this.#markets.setCost(id, costBps)),
        });
        this.#items.set(id, item);
        this.#list.append(item.element);
      }
      item.show(row, this.#opened?.id === id && this.#opened.market.isRunning);
    }
    this.#drawWorth();
  }

  #drawWorth(): void {
    const { id, market } = this.#opened ?? {};
    const settled = market?.isRunning === true ? market.settled : undefined;
    byId('market-worth', HTMLElement).hidden = settled === undefined;
    if (market === undefined || settled === undefined || performance.now() - this.#worthAtMs < WORTH_MS) return;
    this.#worthAtMs = performance.now();
    const isOwn = this.#markets.rows.find((row) => row.id === id)?.costBps !== null;
    void this.#drawDays(market, isOwn);
    const mark = `${id} ${settled.length} ${String(isOwn)}`;
    if (mark === this.#worthOf) return;
    this.#worthOf = mark;
    byId('market-worth-tables', HTMLElement).replaceChildren(...renderWorth(settled, isOwn));
  }

  /** The track record of the market, of the kind of threshold that it has now. */
  async #drawDays(market: OpenMarket, isOwn: boolean): Promise<void> {
    const key = this.#host.key();
    if (key === null) return;
    const [from, today] = [DAYS - 1, 0].map((days) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10));
    try {
      const { rows } = await this.#host.service.trackRecord(key, { from, series: market.recordOf });
      if (this.#opened?.market !== market) return;
      const some = rows.filter(({ own_threshold: own }) => own === isOwn);
      byId('market-days', HTMLElement).replaceChildren(...renderDays(some, today));
    } catch (error) {
      // What was shown stays; the page asks again.
      if (!(error instanceof Failure)) throw error;
    }
  }
}
