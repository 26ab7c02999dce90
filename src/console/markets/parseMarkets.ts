import { horizonChoices, usualHorizons } from './horizonChoices.ts';
import type { WantedMarket } from './Markets.ts';

/** Each has a worker of its own. */
export const MOST_PAGE_MARKETS = 6;

/** Those of earlier releases have no horizons. */
function readWanted(value: unknown): WantedMarket[] {
  const { exchange, symbol, kind, costBps, horizons = usualHorizons(null) } = (value ?? {}) as Partial<Record<keyof WantedMarket, unknown>>;
  const isCost = costBps === null || (typeof costBps === 'number' && costBps > 0 && costBps <= 10_000);
  const isGood =
    typeof exchange === 'string' &&
    /^[A-Z0-9]{1,20}\/[A-Z0-9]{1,20}$/.test(String(symbol)) &&
    isCost &&
    ['trades', 'quotes'].includes(String(kind)) &&
    Array.isArray(horizons) &&
    horizons.length > 0 &&
    horizons.every((id) => horizonChoices(null).includes(id as string));
  return isGood ? [{ exchange, symbol, kind, costBps, horizons, period: null, alert: null } as WantedMarket] : [];
}

/** The markets that this browser watched last without an account, as it kept them. What is damaged is left out. */
export function parseMarkets(text: string | null): WantedMarket[] {
  try {
    const found: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(found) ? found.flatMap(readWanted).slice(0, MOST_PAGE_MARKETS) : [];
  } catch {
    return [];
  }
}

/** What `parseMarkets` reads. */
export const writeMarkets = (markets: readonly WantedMarket[]): string =>
  JSON.stringify(markets.map(({ exchange, symbol, kind, costBps, horizons }) => ({ exchange, symbol, kind, costBps, horizons })));
