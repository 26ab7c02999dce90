/** More digits than this are the rounding errors of binary fractions. */
const MOST = 8;
/** Enough prices to see the digits of a market. */
const SAMPLED = 64;

/** Digits after the point of a price as it is written. */
export function digitsOf(price: number): number {
  const text = String(Number(price.toPrecision(10)));
  const point = text.indexOf('.');
  return point < 0 || text.includes('e') ? 0 : Math.min(MOST, text.length - point - 1);
}

/** Digits after the point of the prices from `from` to `to`, from at most 64 of them. */
export function priceDigits(prices: Float64Array, from: number, to: number): number {
  const step = Math.max(1, Math.floor((to - from) / SAMPLED));
  let digits = 0;
  for (let i = to; i >= from; i -= step) digits = Math.max(digits, digitsOf(prices[i]));
  return digits;
}

/** Writes a computed price as the market does: rounded to the digits of these prices. */
export function priceWriter({ prices }: { readonly prices: Float64Array }, from = 0, to = prices.length - 1): (price: number) => string {
  const digits = priceDigits(prices, from, to);
  return (price) => price.toFixed(digits);
}
