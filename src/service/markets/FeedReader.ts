import { US_PER_MS } from '../../core/units.ts';
import { ExchangeLines, GAP_LINE, priceOf } from '../../ticks/exchange/exchangeMessages.ts';
import { FeedBatch, type FeedTicks } from '../../ticks/import/FeedBatch.ts';
import { spreadsBps } from '../../ticks/tickColumns.ts';
import type { MarketTick } from './WatchedMarket.ts';

/** Reads the lines of a feed of one market, by the rules of recordings. */
export class FeedReader {
  readonly #lines = new ExchangeLines();
  readonly #batch = new FeedBatch();
  readonly #place: { readonly last: { readonly number: number | undefined } | undefined };
  readonly #nowMs: () => number;
  #series: string | undefined;
  /** A gap stands before its first tick. */
  #isCut = false;

  constructor(place: { readonly last: { readonly number: number | undefined } | undefined }, nowMs: () => number) {
    this.#place = place;
    this.#nowMs = nowMs;
  }

  async read(
    text: string,
    add: (ticks: readonly (MarketTick & { readonly number: number })[]) => Promise<void>,
    cut: () => Promise<void>,
  ): Promise<void> {
    for (const line of text.split('\n')) {
      if (line === GAP_LINE) {
        this.#batch.gap();
        this.#isCut ||= this.#series === undefined;
      } else if (line !== '')
        this.#lines.read(line, (tick) => {
          const { timeUs = this.#nowMs() * US_PER_MS } = tick;
          const sides = 'bid' in tick ? ([tick.bid, tick.ask] as const) : ([NaN, NaN] as const);
          this.#batch.add('market', timeUs, priceOf(tick), ...sides);
        });
    }
    await this.#batch.flush(async (ticks) => {
      for (let from = 0; from < ticks.series.length;) {
        const name = ticks.series[from];
        const after = ticks.series.findIndex((other, i) => i > from && other !== name);
        const to = after < 0 ? ticks.series.length : after;
        if (this.#isCut || (this.#series !== undefined && this.#series !== name)) await cut();
        [this.#series, this.#isCut] = [name, false];
        await add(this.#ticksOf(ticks, from, to));
        from = to;
      }
    });
  }

  #ticksOf({ timesUs, prices, bids, asks }: FeedTicks, from: number, to: number): (MarketTick & { readonly number: number })[] {
    const spreads = spreadsBps({ Bid: bids, Ask: asks }, to);
    return Array.from({ length: to - from }, (_, i) => ({
      ...{ timeUs: timesUs[from + i], price: prices[from + i], number: this.#place.last?.number ?? NaN },
      ...(Number.isNaN(bids[from + i]) ? {} : { spreadBps: spreads[from + i] }),
    }));
  }
}
