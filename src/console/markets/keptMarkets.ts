import type { WantedMarket } from './Markets.ts';

const KEPT = 'tickmark.markets';
/** Each has a worker of its own. */
export const MOST_PAGE_MARKETS = 6;

const isWanted = (value: unknown): value is WantedMarket => {
  const { exchange, symbol, kind, costBps } = (value ?? {}) as Partial<Record<keyof WantedMarket, unknown>>;
  const isCost = costBps === null || (typeof costBps === 'number' && costBps > 0 && costBps <= 10_000);
  return (
    typeof exchange === 'string' &&
    /^[A-Z0-9]{1,20}\/[A-Z0-9]{1,20}$/.test(String(symbol)) &&
    isCost &&
    ['trades', 'quotes'].includes(String(kind))
  );
};

/** The markets that this browser watched last without an account. What is damaged is left out. */
export function keptMarkets(text = localStorage.getItem(KEPT)): WantedMarket[] {
  try {
    const found: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(found) ? found.filter(isWanted).slice(0, MOST_PAGE_MARKETS) : [];
  } catch {
    return [];
  }
}

export const keepMarkets = (markets: readonly WantedMarket[]): void =>
  localStorage.setItem(KEPT, JSON.stringify(markets.map(({ exchange, symbol, kind, costBps }) => ({ exchange, symbol, kind, costBps }))));
