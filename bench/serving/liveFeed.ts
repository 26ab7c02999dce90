import { once } from 'node:events';
import { WebSocket } from 'ws';
import { seededRandom } from '../../src/core/Random.ts';
import { formatTimestamp } from '../../src/ticks/timestamps.ts';
import type { Side } from './startTickmark.ts';

/** Ticks of one message, which are one second of a series: each message makes one forecast. */
export const TICKS_PER_SECOND = 5;
/** Ticks before the first forecast that is measured: every window is full. */
const HISTORY = 500;
const START_US = Date.UTC(2024, 0, 2, 9, 30) * 1000;

/** A series whose messages are one second each. */
export class FeedSeries {
  readonly name: string;
  readonly #random;
  #second = 0;
  #cents = 4_000_000;

  constructor(name: string, seed: number) {
    this.name = name;
    this.#random = seededRandom(seed);
  }

  /** Ticks before the first forecast. */
  history(): string {
    return this.#message(HISTORY / TICKS_PER_SECOND);
  }

  /** The ticks of the next second. */
  next(): string {
    return this.#message(1);
  }

  #message(seconds: number): string {
    const stamps: string[] = [];
    const prices: number[] = [];
    for (let i = 0; i < seconds * TICKS_PER_SECOND; i++) {
      const offsetMs = Math.floor((1000 / TICKS_PER_SECOND) * (i % TICKS_PER_SECOND)) + this.#random.integer(100);
      if (i > 0 && i % TICKS_PER_SECOND === 0) this.#second++;
      this.#cents += this.#random.integer(101) - 50;
      stamps.push(formatTimestamp(START_US + 1_000_000 * this.#second + 1000 * offsetMs));
      prices.push(this.#cents / 100);
    }
    this.#second++;
    return JSON.stringify({ type: 'ticks', series: this.name, Timestamp: stamps, Price: prices });
  }
}

/** A connection with some series; calls `onForecast` with the name of the series. */
export async function connectFeed(
  { port, keys }: Side,
  series: readonly FeedSeries[],
  onForecast: (name: string) => void,
): Promise<WebSocket> {
  const url = `ws://127.0.0.1:${port}/auth/live`;
  const socket = new WebSocket(url, ['tickmark.v1'], { headers: { 'Api-Key': keys[0] }, perMessageDeflate: false });
  await once(socket, 'open');
  socket.on('message', (data: Buffer) => {
    const text = data.toString();
    if (text.startsWith('{"type":"forecast"')) onForecast(/"series":"([^"]+)"/.exec(text)![1]);
    else if (text.startsWith('{"type":"error"') || text.includes('"skipped"')) throw new Error(`${url}: ${text}`);
  });
  socket.on('close', (code) => {
    if (code !== 1005 && code !== 1006 && code !== 1000) throw new Error(`${url}: closed with ${code}`);
  });
  for (const each of series) {
    socket.send(JSON.stringify({ type: 'open', series: each.name, forecasts: [{ horizon: '60s', every: '1s' }] }));
    socket.send(each.history());
  }
  return socket;
}
