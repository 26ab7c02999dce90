import { seededRandom } from '../../src/core/Random.ts';

export type FeedShape = {
  readonly messages: number;
  readonly symbols?: readonly string[];
  /** Mean messages a second of the whole feed. */
  readonly perSecond: number;
  readonly seed?: number;
};

const START_MS = Date.UTC(2024, 0, 2, 9, 30);

/** Raw `trade` messages as the WebSocket of Binance sends them, with a price that walks on its lattice of 0.01. */
export function* binanceTrades({ messages, symbols = ['BTCUSDT'], perSecond, seed = 1 }: FeedShape): Generator<string> {
  const random = seededRandom(seed);
  const cents = symbols.map((_, i) => 4_000_000 + 1_000_000 * i);
  let timeMs = START_MS;
  for (let i = 0; i < messages; i++) {
    timeMs += random.integer(Math.max(1, Math.round(2000 / perSecond) + 1));
    const which = random.integer(symbols.length);
    cents[which] += random.integer(101) - 50;
    const price = (cents[which] / 100).toFixed(8);
    yield `{"e":"trade","E":${timeMs + 1},"s":"${symbols[which]}","t":${i},"p":"${price}","q":"0.00100000","T":${timeMs},"m":${i % 2 === 0},"M":true}\n`;
  }
}
