import { seededRandom } from '../src/core/Random.ts';
import { LocalExchange } from '../test/support/LocalExchange.ts';

/** A process of its own that plays markets: `node marketsExchange.ts MARKETS TICKS_PER_SECOND`. Prints its port. */
const [markets, rate] = process.argv.slice(2).map(Number);
const exchange = await new LocalExchange().listen();
const random = seededRandom(1);
const prices = Array.from({ length: markets }, () => 100);
const tick = (market: number, timeMs: number): { timeMs: number; price: number } => {
  prices[market] = Math.round(prices[market] * (1 + 0.0002 * (random.uniform() - 0.5)) * 1e6) / 1e6;
  return { timeMs, price: prices[market] };
};
const symbolOf = (market: number): string => `M${market}USDT`;
// Each has a past, which its first forecasts need.
const nowMs = Date.now();
for (let market = 0; market < markets; market++) {
  const past = Array.from({ length: 1000 }, (_, i) => tick(market, Math.round(nowMs - ((1000 - i) * 1000) / rate)));
  exchange.trade(symbolOf(market), past, false);
}
process.stdout.write(`${exchange.port}\n`);
// Markets in turn, so that ticks do not come all at once.
let next = 0;
let sentMs = nowMs;
setInterval(() => {
  const untilMs = Date.now();
  for (; sentMs + 1000 / (rate * markets) <= untilMs; sentMs += 1000 / (rate * markets)) {
    const market = next++ % markets;
    exchange.trade(symbolOf(market), [tick(market, Math.round(sentMs))]);
  }
}, 5);
