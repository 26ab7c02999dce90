import { pairOf } from '../../ticks/exchange/exchanges.ts';
import { ExchangeSession } from '../exchange/ExchangeSession.ts';
import { Failure } from '../service/failureText.ts';
import type { PageService } from '../service/pageService.ts';
import { keepMarkets, keptMarkets, MOST_PAGE_MARKETS } from './keptMarkets.ts';
import type { MarketChange, MarketRow, Markets, MarketsParts, OpenMarket, WantedMarket } from './Markets.ts';
import { settledOf } from './worth.ts';

/** Between two forecasts of a horizon. */
const EVERY_S = 5;

type Watched = { wanted: WantedMarket; readonly id: string; session: ExchangeSession | undefined; state: string };

const optionsOf = ({ costBps }: WantedMarket) => (costBps === null ? {} : { minMoveBps: costBps });

/** The markets that this page watches by itself: it connects, and its engine forecasts, as long as it is open. */
export class PageMarkets implements Markets {
  readonly hasAlerts = false;
  readonly where = 'Watched by this page while it is open. Sign in, and the service watches them all the time.';
  readonly #service: Pick<PageService, 'pageLive' | 'chosen'>;
  readonly #parts: MarketsParts;
  #watched: Watched[] = [];

  constructor(service: Pick<PageService, 'pageLive' | 'chosen'>, parts: MarketsParts) {
    this.#service = service;
    this.#parts = parts;
    for (const wanted of keptMarkets()) void this.#watch(wanted);
  }

  get rows(): readonly MarketRow[] {
    return this.#watched.map(({ id, wanted, session, state }) => {
      const { log, scores, series } = session?.shown ?? {};
      return {
        ...{ ...wanted, id, price: series?.prices.at(-1) ?? null, spreadBps: session?.spreadBps || null },
        state: session === undefined ? state : log!.rows.length === 0 || !session.isRunning ? session.text(Date.now()) : '',
        chances: wanted.horizons.map((horizon) => {
          const [message, score] = [log?.latest(horizon)?.message, scores?.find((one) => one.id === horizon)];
          return {
            ...{
              horizon,
              probability: message?.probability ?? null,
              usual: score?.base_rate ?? null,
              moveBps: message?.min_move_bps ?? null,
            },
            ...{ isMarked: message?.trend_identified === 1, reason: message?.reasons[0], score },
          };
        }),
      };
    });
  }

  async add(wanted: WantedMarket): Promise<void> {
    if (wanted.kind === 'bars') throw new Failure('Bars are made by the service: sign in to watch some.', { status: 409 });
    const isSame = (other: Watched): boolean => other.id === idOf(wanted);
    if (this.#watched.some(isSame)) throw new Failure('The page watches this market already.', { status: 409 });
    if (this.#watched.length >= MOST_PAGE_MARKETS)
      throw new Failure(`A page watches at most ${MOST_PAGE_MARKETS} markets. Sign in, and the service watches more.`, { status: 409 });
    await this.#watch(wanted);
    this.#keep();
  }

  /** Other horizons begin with another connection. */
  async change(id: string, change: MarketChange): Promise<void> {
    const found = this.#watched.find((one) => one.id === id);
    if (found === undefined) return;
    const before = found.wanted;
    found.wanted = { ...before, ...change };
    if (String(before.horizons) !== String(found.wanted.horizons)) await this.#connect(found);
    else found.session?.changeOptions(optionsOf(found.wanted));
    this.#keep();
  }

  remove(id: string): Promise<void> {
    this.#watched.find((one) => one.id === id)?.session?.stop();
    this.#watched = this.#watched.filter((one) => one.id !== id);
    this.#keep();
    return Promise.resolve();
  }

  /** A closed chart leaves its market watched. */
  open(id: string): OpenMarket | undefined {
    const session = this.#watched.find((one) => one.id === id)?.session;
    if (session === undefined) return undefined;
    let isShown = true;
    return {
      get isRunning() {
        return isShown && session.isRunning;
      },
      get skipped() {
        return session.skipped;
      },
      get doubt() {
        return session.doubt;
      },
      get phase() {
        return session.phase;
      },
      get settled() {
        return settledOf(session.shown.log);
      },
      ...{ shown: session.shown, text: (nowMs) => session.text(nowMs) },
      ...{ stop: () => (isShown = false), fail: () => (isShown = false) },
    };
  }

  close(): void {
    for (const { session } of this.#watched) session?.stop();
    this.#watched = [];
  }

  #keep(): void {
    keepMarkets(this.#watched.map(({ wanted }) => wanted));
    this.#parts.onChange();
  }

  async #watch(wanted: WantedMarket): Promise<void> {
    const row: Watched = { wanted, id: idOf(wanted), session: undefined, state: 'Loading the engine…' };
    this.#watched.push(row);
    this.#parts.onChange();
    await this.#connect(row);
  }

  async #connect(row: Watched): Promise<void> {
    const { wanted } = row;
    const live = await this.#service.pageLive();
    // Removed, changed, or signed in, meanwhile.
    if (!this.#watched.includes(row) || row.wanted.horizons !== wanted.horizons) return live?.feed.close();
    row.session?.stop();
    row.session = undefined;
    const market = pairOf(wanted.symbol);
    if (live === null || market === undefined) row.state = 'This browser cannot run the engine: sign in, and the service watches it.';
    else
      row.session = new ExchangeSession({
        ...{ exchange: wanted.exchange, isQuotes: wanted.kind === 'quotes', market, feed: live.feed, everyS: EVERY_S },
        horizons: wanted.horizons,
        ...{ model: this.#service.chosen, options: optionsOf(row.wanted), onChange: () => this.#parts.onChange() },
        onMark: ({ name }, { message }) => this.#parts.onAlert(name, message, row.wanted.costBps),
      });
    this.#parts.onChange();
  }
}

const idOf = ({ exchange, symbol, kind }: WantedMarket): string => `${exchange} ${symbol} ${kind}`;
