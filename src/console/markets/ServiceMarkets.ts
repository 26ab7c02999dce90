import type { LiveScore } from '../../../clients/typescript/src/index.ts';
import type { MarketAnswer, MarketChangeBody, MarketRequestBody } from '../../contract/markets.ts';
import { Failure } from '../service/failureText.ts';
import type { Service } from '../service/clientService.ts';
import { MarketAlerts } from './MarketAlerts.ts';
import type { MarketChange, MarketRow, Markets, MarketsParts, OpenMarket, WantedMarket } from './Markets.ts';
import { MarketSession } from './MarketSession.ts';
import { stateText } from './marketWords.ts';

const ASK_MS = 2500;

function rowOf(market: MarketAnswer): MarketRow {
  const { id, exchange, symbol, kind, period, horizons, alert, cost_bps: costBps, price, spread_bps: spreadBps, forecasts } = market;
  return {
    ...{ id, exchange, symbol, kind, period, horizons, alert, costBps, price, spreadBps, state: stateText(market) },
    chances: forecasts.map(({ horizon, last, score }) => ({
      ...{ horizon, probability: last?.probability ?? null, usual: last?.usual_rate ?? null, moveBps: last?.min_move_bps ?? null },
      ...{ isMarked: last?.marked === true, reason: last?.reasons[0], score: (score as LiveScore | null) ?? undefined },
    })),
  };
}

/** The markets that the service watches for the account, with a page open or not. */
export class ServiceMarkets implements Markets {
  readonly hasAlerts = true;
  readonly where = 'Watched by the service, also while this page is closed.';
  readonly #service: Service;
  readonly #key: string;
  readonly #parts: MarketsParts;
  #markets: readonly MarketAnswer[] = [];
  readonly #alerts: MarketAlerts;
  #opened: readonly { readonly id: string; readonly session: MarketSession }[] = [];
  #isClosed = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(service: Service, key: string, parts: MarketsParts) {
    this.#service = service;
    this.#key = key;
    this.#parts = parts;
    this.#alerts = new MarketAlerts(parts.onAlert);
    void this.#ask();
  }

  get rows(): readonly MarketRow[] {
    return this.#markets.map(rowOf);
  }

  async add({ exchange, symbol, kind, period, horizons, costBps, alert }: WantedMarket): Promise<void> {
    const of = { horizons, cost_bps: costBps, alert, ...(period === null ? {} : { period }) };
    await this.#service.addMarket(this.#key, { exchange, symbol, kind, ...of } as MarketRequestBody);
    await this.#look();
  }

  async change(id: string, { horizons, alert, costBps }: MarketChange): Promise<void> {
    const change = {
      ...(horizons && { horizons }),
      ...(alert !== undefined && { alert }),
      ...(costBps !== undefined && { cost_bps: costBps }),
    };
    await this.#service.changeMarket(this.#key, id, change as MarketChangeBody);
    await this.#look();
  }

  async remove(id: string): Promise<void> {
    await this.#service.removeMarket(this.#key, id);
    for (const one of this.#opened) if (one.id === id) one.session.stop();
    await this.#look();
  }

  open(id: string): OpenMarket | undefined {
    const market = this.#markets.find((one) => one.id === id);
    if (market === undefined) return undefined;
    const session = new MarketSession({ service: this.#service, key: this.#key, market, onChange: this.#parts.onChange });
    this.#opened = [...this.#opened.filter((one) => one.session.isRunning), { id, session }];
    return session;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const { session } of this.#opened) session.stop();
  }

  async #look(): Promise<void> {
    this.#markets = await this.#service.markets(this.#key);
    for (const { id, session } of this.#opened) {
      const market = this.#markets.find((one) => one.id === id);
      if (market !== undefined) session.update(market);
    }
    this.#alerts.look(this.#markets, Date.now());
    if (!this.#isClosed) this.#parts.onChange();
  }

  async #ask(): Promise<void> {
    try {
      // A hidden page asks for nothing, unless it tells of forecasts: the service goes on without it.
      if (!document.hidden || this.#parts.isTelling()) await this.#look();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      // The page says at its top that the service is down; a refused key ends the list.
      if (error.status === 401) return;
    }
    if (!this.#isClosed) this.#timer = setTimeout(() => void this.#ask(), ASK_MS);
  }
}
