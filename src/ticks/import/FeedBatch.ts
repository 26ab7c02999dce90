import { RisingOrder } from '../../../clients/typescript/src/live/RisingOrder.ts';
import { US_PER_MS } from '../../core/units.ts';
import { formatSpan } from '../formatSpan.ts';
import { writeTimestamp } from '../timestamps.ts';
import type { ImportedBars } from './ImportReport.ts';

/** Ticks in the order in which they were read. */
export type FeedTicks = {
  readonly series: string[];
  readonly timesUs: number[];
  readonly prices: number[];
  /** NaN for ticks without. */
  readonly bids: number[];
  readonly asks: number[];
  /** Of a file of bars, whose prices are closes at the ends of bars. */
  readonly bars?: ImportedBars | undefined;
  /** Open, high and low of each bar; empty for ticks and for closes alone. */
  readonly ranges: number[][];
  /** Names of series that begin after a gap, and those that ended there. */
  readonly replaces: ReadonlyMap<string, string>;
};

/** What was left out of a feed, by reason. `ahead`: far ahead of the ticks around them. `unfinished`: bars that ended less than a period after the one before. */
export type FeedCounts = { ticks: number; outOfOrder: number; ahead: number; withoutPrice: number; unfinished: number };

type FeedTick = {
  readonly timeUs: number;
  readonly price: number;
  readonly bid: number;
  readonly ask: number;
  readonly range: number[] | undefined;
};

/** A market of the feed, whose part after each gap is a series of its own. */
type Market = { readonly order: RisingOrder<FeedTick>; part: number; name: string; last: string | undefined };

/** In periods of bars, whose timestamps may be uneven. */
const LEAST_STEP = 0.95;
/** Ticks that are named one by one. */
const MOST_SAID = 3;

const noTicks = () => ({
  ...{ series: [], timesUs: [], prices: [], bids: [], asks: [], ranges: [] },
  replaces: new Map<string, string>(),
});

/** The ticks of a feed that are not used yet, each series in order. */
export class FeedBatch {
  /** Of the whole feed. */
  bars: ImportedBars | undefined;
  readonly counts: FeedCounts = { ticks: 0, outOfOrder: 0, ahead: 0, withoutPrice: 0, unfinished: 0 };
  readonly #markets = new Map<string, Market>();
  readonly #say: (text: string) => void;
  #said = 0;
  #ticks: FeedTicks & { readonly replaces: Map<string, string> } = noTicks();

  constructor(say: (text: string) => void = () => {}) {
    this.#say = say;
  }

  /** `symbol`: names the series, and after a gap with a number: `BTCUSDT.2`. */
  add(symbol: string, timeUs: number, price: number, bid = NaN, ask = NaN, range?: number[]): void {
    let market = this.#markets.get(symbol);
    if (market === undefined) {
      market = { order: new RisingOrder({ onAhead: this.#onAhead(symbol) }), part: 1, name: seriesOf(symbol, 1), last: undefined };
      this.#markets.set(symbol, market);
    }
    const { order } = market;
    if (this.bars !== undefined && timeUs >= order.last && timeUs - order.last < LEAST_STEP * this.bars.periodUs) {
      this.counts.unfinished++;
      return;
    }
    const tick = { timeUs, price, bid, ask, range };
    const found = order.take(timeUs, tick);
    if (found === 'next') this.#pass(market, tick);
    if (found === 'restarted') {
      this.#say(`The times of ${symbol} begin again at ${writeTimestamp(order.released[0].timeUs)}. A new series begins.\n`);
      beginPart(symbol, market);
    }
    if (found === 'confirmed' || found === 'restarted') for (const released of order.released) this.#pass(market, released);
  }

  /** Ticks are missing here: each market begins a series of its own. */
  gap(): void {
    for (const [symbol, market] of this.#markets) beginPart(symbol, market);
  }

  /** Nothing follows. */
  end(): void {
    for (const { order } of this.#markets.values()) {
      order.end();
      this.counts.outOfOrder += order.late;
    }
  }

  async flush(use: (ticks: FeedTicks) => Promise<void>): Promise<void> {
    const ticks = { ...this.#ticks, bars: this.bars };
    if (ticks.series.length === 0) return;
    this.#ticks = noTicks();
    await use(ticks);
  }

  #pass(market: Market, { timeUs, price, bid, ask, range }: FeedTick): void {
    const { name, last } = market;
    if (last !== undefined && last !== name) this.#ticks.replaces.set(name, last);
    market.last = name;
    this.counts.ticks++;
    this.#ticks.series.push(name);
    this.#ticks.timesUs.push(timeUs);
    this.#ticks.prices.push(price);
    this.#ticks.bids.push(bid);
    this.#ticks.asks.push(ask);
    if (range !== undefined) this.#ticks.ranges.push(range);
  }

  #onAhead(symbol: string): (tick: FeedTick, timeUs: number, lastUs: number) => void {
    return (_, timeUs, lastUs) => {
      this.counts.ahead++;
      if (this.#said++ >= MOST_SAID) return;
      const stamp = writeTimestamp(timeUs);
      this.#say(
        `Left out: a tick of ${symbol} stamped ${stamp}, ${formatSpan((timeUs - lastUs) / US_PER_MS)} ahead of the ticks around it.\n`,
      );
    };
  }
}

function beginPart(symbol: string, market: Market): void {
  market.name = seriesOf(symbol, ++market.part);
}

/** `BTCUSDT`, and after the first gap `BTCUSDT.2`. */
function seriesOf(symbol: string, part: number): string {
  const suffix = part === 1 ? '' : `.${part}`;
  return symbol.replaceAll(/[^A-Za-z0-9._:-]/g, '-').slice(0, 64 - suffix.length) + suffix;
}
