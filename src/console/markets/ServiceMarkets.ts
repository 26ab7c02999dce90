import type { LiveScore } from '../../../clients/typescript/src/index.ts';
import type { MarketAnswer } from '../../contract/markets.ts';
import { LIVE_HORIZONS } from '../live/livePlan.ts';
import { Failure } from '../service/failureText.ts';
import type { Service } from '../service/Service.ts';
import type { MarketRow, Markets, MarketsParts, OpenMarket, WantedMarket } from './Markets.ts';
import { MarketSession } from './MarketSession.ts';
import { stateText } from './marketWords.ts';

const ASK_MS = 2500;

function rowOf(market: MarketAnswer): MarketRow {
  const { id, exchange, symbol, kind, period, cost_bps: costBps, price, spread_bps: spreadBps, forecasts } = market;
  return {
    ...{ id, exchange, symbol, costBps, price, spreadBps, kind: kind === 'quotes' ? 'quotes' : 'trades', state: stateText(market) },
    prices: kind === 'bars' ? `${period} bars` : kind === 'quotes' ? kind : '',
    chances: forecasts.map(({ horizon, last, score }) => ({
      ...{ horizon, probability: last?.probability ?? null, usual: last?.usual_rate ?? null, moveBps: last?.min_move_bps ?? null },
      ...{ isMarked: last?.marked === true, reason: last?.reasons[0], score: (score as LiveScore | null) ?? undefined },
    })),
  };
}

/** The markets that the service watches for the account, with a page open or not. */
export class ServiceMarkets implements Markets {
  readonly where = 'Watched by the service, also while this page is closed.';
  readonly #service: Service;
  readonly #key: string;
  readonly #parts: MarketsParts;
  #markets: readonly MarketAnswer[] = [];
  #opened: MarketSession | undefined;
  #openedId = '';
  #isClosed = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(service: Service, key: string, parts: MarketsParts) {
    this.#service = service;
    this.#key = key;
    this.#parts = parts;
    void this.#ask();
  }

  get rows(): readonly MarketRow[] {
    return this.#markets.map(rowOf);
  }

  async add({ exchange, symbol, kind, costBps }: WantedMarket): Promise<void> {
    const horizons = LIVE_HORIZONS.map(({ id }) => id);
    await this.#service.addMarket(this.#key, { exchange, symbol, kind, horizons, cost_bps: costBps });
    await this.#look();
  }

  async setCost(id: string, costBps: number | null): Promise<void> {
    await this.#service.changeMarket(this.#key, id, { cost_bps: costBps });
    await this.#look();
  }

  async remove(id: string): Promise<void> {
    await this.#service.removeMarket(this.#key, id);
    if (id === this.#openedId) this.#opened?.stop();
    await this.#look();
  }

  open(id: string): OpenMarket | undefined {
    const market = this.#markets.find((one) => one.id === id);
    if (market === undefined) return undefined;
    this.#openedId = id;
    const { onChange, onMark } = this.#parts;
    return (this.#opened = new MarketSession({
      ...{ service: this.#service, key: this.#key, market, onChange },
      onMark: (series, row) => onMark(series, row, market.cost_bps),
    }));
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#opened?.stop();
  }

  async #look(): Promise<void> {
    this.#markets = await this.#service.markets(this.#key);
    const opened = this.#markets.find(({ id }) => id === this.#openedId);
    if (opened !== undefined) this.#opened?.update(opened);
    if (!this.#isClosed) this.#parts.onChange();
  }

  async #ask(): Promise<void> {
    try {
      // A hidden page asks for nothing: the service goes on without it.
      if (!document.hidden) await this.#look();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      // The page says at its top that the service is down; a refused key ends the list.
      if (error.status === 401) return;
    }
    if (!this.#isClosed) this.#timer = setTimeout(() => void this.#ask(), ASK_MS);
  }
}
