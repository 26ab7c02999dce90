import { US_PER_MS } from '../../core/units.ts';
import type { ExchangeBar } from './Exchange.ts';
import { askExchange, MOST_PAGES, waitForPage, whyNone } from './exchangeHistory.ts';
import type { FeedParts } from './FeedParts.ts';

/** Bars before now that are asked for: as many as a forecast uses. */
const MOST_BARS = 500;
const US_PER_SECOND = 1e6;

export type BarParts = Pick<FeedParts, 'exchange' | 'symbol' | 'historyUrl' | 'clock' | 'signal' | 'say'>;

/**
 * The bars of an exchange that begin at `fromUs` or later, at most the last 500, oldest first; the last one may not have ended. Where the exchange
 * has none of the period, they are made of shorter ones. Undefined: they cannot be had, and `say` was told why.
 */
export async function barsSince(fromUs: number, periodUs: number, parts: BarParts): Promise<readonly ExchangeBar[] | undefined> {
  const { exchange, symbol, historyUrl, clock, signal, say } = parts;
  const { bars } = exchange;
  const lengths = Object.entries(bars?.periods ?? {}).filter(([, seconds]) => periodUs % (seconds * US_PER_SECOND) === 0);
  if (bars === undefined || historyUrl === undefined || lengths.length === 0) return undefined;
  const [name, seconds] = lengths.reduce((longest, one) => (one[1] > longest[1] ? one : longest));
  const wantedUs = Math.max(fromUs, periodUs * (Math.floor((clock.nowMs() * US_PER_MS) / periodUs) - MOST_BARS));
  const known = new Map<number, ExchangeBar>();
  try {
    for (let [pages, untilMs] = [0, clock.nowMs()]; pages < MOST_PAGES; pages++) {
      if (pages > 0) await waitForPage(parts);
      const page = bars.read(await askExchange(new URL(bars.path(symbol, name, untilMs), historyUrl), signal));
      const fresh = page.filter(({ startUs }) => !known.has(startUs));
      for (const bar of fresh) known.set(bar.startUs, bar);
      const oldestUs = fresh.reduce((oldest, { startUs }) => Math.min(oldest, startUs), Infinity);
      if (fresh.length === 0 || oldestUs <= wantedUs) break;
      untilMs = Math.floor(oldestUs / US_PER_MS) - 1;
    }
  } catch (error) {
    if (!signal.aborted) say(whyNone('earlier bars', historyUrl, error));
    return undefined;
  }
  const all = [...known.values()].sort((a, b) => a.startUs - b.startUs);
  const found = seconds * US_PER_SECOND === periodUs ? all : joined(all, periodUs);
  return found.filter(({ startUs }) => startUs >= wantedUs);
}

/** Bars of a longer period; without the first one, whose beginning may be missing. */
function joined(bars: readonly ExchangeBar[], periodUs: number): readonly ExchangeBar[] {
  const longer = new Map<number, ExchangeBar>();
  for (const bar of bars) {
    const startUs = periodUs * Math.floor(bar.startUs / periodUs);
    const { open, high, low } = longer.get(startUs) ?? bar;
    longer.set(startUs, { startUs, open, high: Math.max(high, bar.high), low: Math.min(low, bar.low), close: bar.close });
  }
  return [...longer.values()].slice(bars[0] !== undefined && bars[0].startUs % periodUs === 0 ? 0 : 1);
}
