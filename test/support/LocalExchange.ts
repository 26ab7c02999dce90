import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';
import type { FindMarket } from '../../src/service/markets/openExchange.ts';
import { EXCHANGES, marketOf, pairOf } from '../../src/ticks/exchange/exchanges.ts';

type SentTrade = { readonly id: number; readonly price: string; readonly qty: string; readonly time: number };

/** An exchange on this machine that speaks like Binance: streams of trades and quotes by symbol, and over REST trades and bars of a minute. */
export class LocalExchange {
  readonly #http = http.createServer((request, response) => this.#answer(request, response));
  readonly #sockets = new WebSocketServer({ server: this.#http });
  readonly #trades = new Map<string, SentTrade[]>();
  readonly #open = new Map<string, Set<WebSocket>>();
  readonly #waiting: { readonly symbol: string; readonly count: number; readonly resolve: () => void }[] = [];
  /** Trades of an answer over REST; 0: it has none. */
  history = 1000;
  /** Connections so far, by symbol. */
  readonly connections = new Map<string, number>();

  constructor() {
    this.#sockets.on('connection', (socket, request) => {
      const symbol = symbolIn(request.url);
      const sockets = this.#open.get(symbol) ?? new Set();
      this.#open.set(symbol, sockets.add(socket));
      this.connections.set(symbol, (this.connections.get(symbol) ?? 0) + 1);
      socket.on('close', () => sockets.delete(socket));
      socket.on('error', () => {});
      for (const one of this.#waiting.splice(0)) this.#resolve(one);
    });
  }

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#http.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get port(): number {
    return (this.#http.address() as AddressInfo).port;
  }

  /** Sends trades to all who watch the symbol, and keeps them. */
  trade(symbol: string, ticks: readonly { readonly timeMs: number; readonly price: number }[], isHeard = true): void {
    const trades = this.#trades.get(symbol) ?? [];
    this.#trades.set(symbol, trades);
    for (const { timeMs, price } of ticks) {
      const trade = { id: trades.length + 1, price: String(price), qty: '1', time: timeMs };
      trades.push(trade);
      if (isHeard) this.#send(symbol, { e: 'trade', s: symbol, t: trade.id, p: trade.price, q: '1', T: timeMs });
    }
  }

  quote(symbol: string, bid: number, ask: number): void {
    this.#send(symbol, { u: 1, s: symbol, b: String(bid), B: '1', a: String(ask), A: '1' });
  }

  /** Resolves when the symbol is watched by so many connections at once, or was by so many in all with `inAll`. */
  watched(symbol: string, count = 1): Promise<void> {
    return new Promise((resolve) => this.#resolve({ symbol, count, resolve }));
  }

  /** Ends the connections of a symbol. */
  drop(symbol: string): void {
    for (const socket of this.#open.get(symbol) ?? []) socket.terminate();
  }

  close(): void {
    for (const socket of this.#sockets.clients) socket.terminate();
    this.#sockets.close();
    this.#http.close();
    this.#http.closeAllConnections();
  }

  #resolve(one: { readonly symbol: string; readonly count: number; readonly resolve: () => void }): void {
    if ((this.connections.get(one.symbol) ?? 0) >= one.count) one.resolve();
    else this.#waiting.push(one);
  }

  #send(symbol: string, message: object): void {
    for (const socket of this.#open.get(symbol) ?? []) socket.send(JSON.stringify(message));
  }

  #answer({ url = '' }: http.IncomingMessage, response: http.ServerResponse): void {
    const { pathname, searchParams } = new URL(url, 'http://exchange');
    const trades = this.#trades.get(searchParams.get('symbol') ?? symbolIn(pathname)) ?? [];
    const limit = Math.min(this.history, Number(searchParams.get('limit') ?? this.history));
    const answer = (): unknown => {
      if (pathname.endsWith('/klines')) return klinesOf(trades, Number(searchParams.get('endTime'))).slice(-1000);
      if (limit === 0) return [];
      if (!pathname.endsWith('/historicalTrades')) return trades.slice(-limit);
      return trades.slice(Number(searchParams.get('fromId')) - 1).slice(0, limit);
    };
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify(answer()));
  }
}

const symbolIn = (url = ''): string => url.slice(1);

/** Bars of a minute of all trades, also of those that no one has heard. */
function klinesOf(trades: readonly SentTrade[], untilMs: number): unknown[] {
  const bars = new Map<number, number[]>();
  for (const { time, price } of trades) {
    const startMs = 60_000 * Math.floor(time / 60_000);
    const [, open, high, low] = bars.get(startMs) ?? [0, Number(price), -Infinity, Infinity];
    if (startMs <= untilMs)
      bars.set(startMs, [startMs, open, Math.max(high, Number(price)), Math.min(low, Number(price)), Number(price), 1]);
  }
  return [...bars.values()].map(([startMs, ...numbers]) => [startMs, ...numbers.map(String)]);
}

/** Each market of the table at a local exchange. */
export const findAt =
  (port: number): FindMarket =>
  ({ symbol, kind }) => {
    const market = marketOf('binance', pairOf(symbol)!, kind === 'quotes');
    const { history } = EXCHANGES['binance'];
    const historyUrl = kind === 'quotes' ? undefined : `http://127.0.0.1:${port}/${market.symbol}`;
    return {
      ...market,
      exchange: { ...market.exchange, history: kind === 'quotes' ? undefined : history },
      url: `ws://127.0.0.1:${port}/${market.symbol}`,
      historyUrl,
    };
  };
