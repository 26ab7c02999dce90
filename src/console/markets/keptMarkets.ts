import { keepText, keptText } from '../dom/storage.ts';
import { horizonChoices, usualHorizons } from './horizonChoices.ts';
import type { WantedMarket } from './Markets.ts';

/** Each has a worker of its own. */
export const MOST_PAGE_MARKETS = 6;

const WATCHED = 'tickmark.markets';
const SHOWN = 'tickmark.shown';

/** Undefined: nothing that can be read. */
function read(name: string): unknown {
  try {
    return JSON.parse(keptText(name) ?? '');
  } catch {
    return undefined;
  }
}

/** Those of earlier releases have no horizons. */
function readWanted(value: unknown): WantedMarket[] {
  const { exchange, symbol, kind, costBps, horizons = usualHorizons(null) } = (value ?? {}) as Partial<Record<keyof WantedMarket, unknown>>;
  const isGood =
    typeof exchange === 'string' &&
    /^[A-Z0-9]{1,20}\/[A-Z0-9]{1,20}$/.test(String(symbol)) &&
    (costBps === null || (typeof costBps === 'number' && costBps > 0 && costBps <= 10_000)) &&
    ['trades', 'quotes'].includes(String(kind)) &&
    Array.isArray(horizons) &&
    horizons.length > 0 &&
    horizons.every((id) => horizonChoices(null).includes(id as string));
  return isGood ? [{ exchange, symbol, kind, costBps, horizons, period: null, alert: null } as WantedMarket] : [];
}

/** The markets that this browser watched last without an account, as it kept them. What is damaged is left out. */
export function keptMarkets(): WantedMarket[] {
  const found = read(WATCHED);
  return Array.isArray(found) ? found.flatMap(readWanted).slice(0, MOST_PAGE_MARKETS) : [];
}

export const keepMarkets = (markets: readonly WantedMarket[]): void =>
  keepText(
    WATCHED,
    JSON.stringify(markets.map(({ exchange, symbol, kind, costBps, horizons }) => ({ exchange, symbol, kind, costBps, horizons }))),
  );

/** Which markets a browser showed last: the one that was open, and those side by side. */
export type ShownMarkets = { readonly open: string | null; readonly charts: readonly string[] };

/** As far as it is whole. */
export function keptShown(): ShownMarkets {
  const { open, charts } = (read(SHOWN) ?? {}) as Partial<Record<keyof ShownMarkets, unknown>>;
  const ids = Array.isArray(charts) ? charts.filter((id) => typeof id === 'string') : [];
  return { open: typeof open === 'string' ? open : null, charts: ids };
}

export const keepShown = (shown: ShownMarkets): void => keepText(SHOWN, JSON.stringify(shown));
