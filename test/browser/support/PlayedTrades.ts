import type { Page, WebSocketRoute } from 'playwright-core';

/** Trades of Binance that a test plays. */
export class PlayedTrades {
  readonly sockets: WebSocketRoute[] = [];
  readonly #everyMs: number;
  readonly #priceOf: (number: number) => number;
  readonly #earlier: number;
  #number = 0;
  #timeMs: number;

  /** `earlier`: trades that the exchange has kept. */
  constructor({
    earlier = 250,
    everyMs = 100,
    startMs = Date.now() - 60_000,
    priceOf = (number: number) => 100 + Math.sin(number / 9),
  } = {}) {
    this.#earlier = earlier;
    this.#everyMs = everyMs;
    this.#timeMs = startMs;
    this.#priceOf = priceOf;
  }

  readonly prepare = async (page: Page): Promise<void> => {
    const earlier = Array.from({ length: this.#earlier }, () => JSON.parse(this.#trade()) as { t: number; p: string; T: number });
    const rows = earlier.map(({ t: id, p: price, T: time }) => ({ id, price, qty: '1', time }));
    await page.route('https://api.binance.com/**', (route) =>
      route.fulfill({ json: rows, headers: { 'Access-Control-Allow-Origin': '*' } }),
    );
    await page.routeWebSocket('wss://stream.binance.com:9443/**', (socket) => {
      this.sockets.push(socket);
      this.play(10);
    });
  };

  /** `skipped`: trades that are missing before. */
  play(trades: number, skipped = 0): void {
    this.#number += skipped;
    for (let i = 0; i < trades; i++) this.sockets.at(-1)?.send(this.#trade());
  }

  #trade(): string {
    this.#number++;
    return JSON.stringify({
      e: 'trade',
      s: 'BTCUSDT',
      t: this.#number,
      p: String(this.#priceOf(this.#number)),
      T: (this.#timeMs += this.#everyMs),
    });
  }
}
