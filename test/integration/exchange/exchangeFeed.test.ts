import { expect } from 'chai';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { gzipSync } from 'node:zlib';
import { WebSocket, WebSocketServer } from 'ws';
import { exchangeFeed } from '../../../src/ticks/exchange/exchangeFeed.ts';
import { EXCHANGE_NAMES, marketOf } from '../../../src/ticks/exchange/exchanges.ts';
import { EXCHANGE_CASES, MS, NOW_MS } from '../../support/exchangeCases.ts';
import { openFeed } from '../../../src/cli/openFeed.ts';
import { seededRandom } from '../../../src/core/Random.ts';
import { ServiceError } from '../../../src/core/ServiceError.ts';
import { addExchangeTicks, ExchangeLines, GAP_LINE } from '../../../src/ticks/exchange/exchangeMessages.ts';
import type { FeedTicks } from '../../../src/ticks/import/FeedBatch.ts';
import { readTickFeed } from '../../../src/ticks/import/tickFeed.ts';

const btcOf = (name: string, isQuotes = false) => marketOf(name, ['BTC', 'USDT'], isQuotes);
const trade = (t: number): object => ({ e: 'trade', s: 'BTCUSDT', t, p: String(100 + t), T: MS + t });

/** Plays one script for each connection; the last one for all that follow. */
class Player {
  readonly received: string[] = [];
  readonly #server: WebSocketServer;
  #connections = 0;

  constructor(scripts: readonly ((socket: WebSocket) => void)[], autoPong = true) {
    this.#server = new WebSocketServer({ host: '127.0.0.1', port: 0, autoPong });
    this.#server.on('connection', (socket) => {
      socket.on('message', (data) => this.received.push(String(data)));
      scripts[Math.min(this.#connections++, scripts.length - 1)](socket);
    });
  }

  async url(): Promise<string> {
    if (this.#server.address() === null) await once(this.#server, 'listening');
    return `ws://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    for (const socket of this.#server.clients) socket.terminate();
    this.#server.close();
  }
}

const plays =
  (messages: readonly unknown[], end: (socket: WebSocket) => void = (socket) => socket.close(1001, 'maintenance')) =>
  (socket: WebSocket): void => {
    for (const message of messages) socket.send(typeof message === 'string' ? message : JSON.stringify(message));
    end(socket);
  };
const staysOpen = (): void => {};

describe('feed of an exchange', () => {
  let player: Player | undefined;
  let rest: Server | undefined;
  afterEach(() => {
    player?.close();
    rest?.close();
    rest = undefined;
  });

  /** Answers every request; the address. */
  const answers = (answer: unknown, status = 200): Promise<string> => answersBy(() => answer, status);
  async function answersBy(answer: (url: URL) => unknown, status = 200): Promise<string> {
    rest = createServer(({ url = '' }, response) =>
      response.writeHead(status, { Connection: 'close' }).end(JSON.stringify(answer(new URL(url, 'http://rest')))),
    );
    rest.listen(0, '127.0.0.1');
    await once(rest, 'listening');
    return `http://127.0.0.1:${(rest.address() as AddressInfo).port}/`;
  }

  /** The lines until `most` came or the feed failed. Waits take no time; heartbeats come only with `beats`. */
  async function linesOf(
    name: string,
    {
      most = Infinity,
      beats = false,
      isQuotes = false,
      historyUrl,
    }: { most?: number; beats?: boolean; isQuotes?: boolean; historyUrl?: string } = {},
  ): Promise<{ lines: string[]; said: string; waits: number[]; error: unknown }> {
    const lines: string[] = [];
    const waits: number[] = [];
    let said = '';
    let error: unknown;
    const clock = {
      nowMs: () => NOW_MS,
      after(delayMs: number, run: () => void, keepsAlive = false) {
        if (keepsAlive) waits.push(delayMs);
        else if (!beats) return () => {};
        const next = setImmediate(run);
        return () => clearImmediate(next);
      },
    };
    const { uniform } = seededRandom(7);
    const open = (url: string): WebSocket => new WebSocket(url);
    const parts = {
      ...btcOf(name, isQuotes),
      open,
      url: await player!.url(),
      historyUrl,
      clock,
      random: uniform,
      signal: new AbortController().signal,
    };
    try {
      for await (const chunk of exchangeFeed({ ...parts, say: (text) => (said += text) })) {
        lines.push(...String(chunk).trim().split('\n'));
        if (lines.length >= most) break;
      }
    } catch (caught) {
      error = caught;
    }
    return { lines, said, waits, error };
  }

  it('has a case for each exchange of the table', () => {
    expect(Object.keys(EXCHANGE_CASES)).to.deep.equal(EXCHANGE_NAMES);
  });

  /** Plays these messages once the feed has subscribed. */
  const playsAfter = (subscription: string | undefined, messages: readonly unknown[]) => (socket: WebSocket) => {
    const play = (): void => plays(messages, staysOpen)(socket);
    if (subscription === undefined) play();
    else socket.once('message', play);
  };
  for (const [name, { symbol, subscribes, trade: message, failure, history, page, isNumbered, quotes }] of Object.entries(EXCHANGE_CASES)) {
    it(`subscribes to ${name}, passes its trade on and shows its failure as it is`, async () => {
      player = new Player([playsAfter(subscribes, [message, failure])]);
      const { lines, said, error } = await linesOf(name);
      expect(btcOf(name).symbol).to.equal(symbol);
      if (subscribes !== undefined) expect(player.received[0]).to.include(subscribes);
      expect(lines).to.deep.equal([JSON.stringify(message)]);
      expect(said).to.match(/^First tick of the connection: stamped (39|40) ms before this clock\.\n$/);
      expect(error).to.include({ code: 'feed.failed' });
      expect(String(error)).to.include('Invalid request');
    });

    it(`reads the last trades of ${name} as those of its stream, oldest first`, () => {
      const { exchange } = btcOf(name);
      const ticks: unknown[] = [];
      const messages = exchange.history!.messages(history([5, 6]), symbol);
      for (const each of messages) addExchangeTicks(each, (tick) => ticks.push(tick));
      expect(ticks).to.deep.equal([
        { symbol, timeUs: 1000 * (MS - 1000), price: 105 },
        { symbol, timeUs: 1000 * (MS - 500), price: 106 },
      ]);
      expect(messages.flatMap((each) => exchange.numbers?.(each) ?? [])).to.deep.equal(isNumbered ? [5, 6] : []);
      for (const odd of [null, {}, 'x', [], { result: 1, data: 1 }]) expect(exchange.history!.messages(odd, 'X')).to.deep.equal([]);
    });

    it(`${page === undefined ? 'marks' : 'reads page by page'} a gap of ${name} that its last trades do not close`, async () => {
      const upTo = (most: number): number[] => Array.from({ length: most }, (_, i) => i + 1);
      const messagesOf = (ids: readonly number[]) => btcOf(name).exchange.history!.messages(history(ids), symbol);
      const linesOfGap = async (last: number, answer: (url: URL, ids: readonly number[]) => readonly number[]): Promise<string[]> => {
        player = new Player([plays(messagesOf([1, 2])), plays([...messagesOf([last]), failure], staysOpen)]);
        const { lines } = await linesOf(name, { historyUrl: await answersBy((url) => history(answer(url, upTo(last)))) });
        player.close();
        rest?.close();
        return lines;
      };
      const whole = messagesOf(upTo(12)).map((each) => JSON.stringify(each));
      const marked = [...whole.slice(0, 2), GAP_LINE, whole[11]];
      expect(await linesOfGap(12, page ?? ((_, ids) => ids.slice(-3)))).to.deep.equal(page === undefined ? marked : whole);
      // An exchange that does not know pages.
      expect(await linesOfGap(12, (_, ids) => ids.slice(-3))).to.deep.equal(marked);
      // More than 20 pages of three.
      expect(await linesOfGap(80, page ?? ((_, ids) => ids.slice(-3)))).to.include(GAP_LINE);
    });

    it(`subscribes to the quotes of ${name}, asks for none of the past, and gives lines that hold bid and ask`, async () => {
      player = new Player([playsAfter(quotes.subscribes, [quotes.message, quotes.message])]);
      const { lines, said } = await linesOf(name, { most: 2, isQuotes: true, historyUrl: await answers([]) });
      if (quotes.subscribes !== undefined) expect(player.received[0]).to.include(quotes.subscribes);
      expect(said).to.not.include('earlier trades');
      const read: unknown[] = [];
      for (const line of lines)
        new ExchangeLines().read(line, (tick) => read.push('bid' in tick ? [tick.bid, tick.ask, tick.timeUs] : tick));
      const quote = [...quotes.sides, 1000 * (quotes.hasTime ? MS : NOW_MS)];
      expect(read).to.deep.equal([quote, quote]);
    });
  }

  it('leaves out repeated and late trades, marks missing ones, and bridges a lost connection only if none is missing', async () => {
    player = new Player([
      plays([trade(1), trade(2), trade(2), trade(5), trade(4), '{"e":"tra']),
      plays([trade(5), trade(6)], (socket) => socket.terminate()),
      plays([trade(9)], staysOpen),
    ]);
    const { lines, said, waits } = await linesOf('binance', { most: 7 });
    const kept = [trade(1), trade(2), GAP_LINE, trade(5), trade(6), GAP_LINE, trade(9)];
    expect(lines).to.deep.equal(kept.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))));
    expect(said.match(/Gap: \d+ trades/g)).to.deep.equal(['Gap: 2 trades', 'Gap: 2 trades']);
    expect(said).to.include('closed with 1001 (maintenance)');
    expect(waits.every((waitMs) => waitMs >= 500 && waitMs <= 1000)).to.equal(true);
  });

  it('marks each lost connection of an exchange that does not number its trades', async () => {
    const message = { topic: 'publicTrade.BTCUSDT', ts: MS, data: [{ s: 'BTCUSDT', T: MS, p: '7.5' }] };
    player = new Player([plays([message]), plays([message], staysOpen)]);
    const { lines } = await linesOf('bybit', { most: 3 });
    expect(lines[1]).to.equal(GAP_LINE);
  });

  it('gives up after eight connections in a row without a trade, each wait longer, up to 30 s', async () => {
    player = new Player([plays([])]);
    const { waits, error } = await linesOf('binance');
    expect(error).to.include({ code: 'feed.failed' });
    expect(waits).to.have.length(8);
    for (const [i, waitMs] of waits.entries()) expect(waitMs / Math.min(30_000, 1000 * 2 ** i)).to.be.within(0.5, 1);
  });

  it('begins with the trades before the first one of the stream, none of them twice', async () => {
    const past = (ids: readonly number[]): unknown => ids.map((id) => ({ id, price: String(100 + id), qty: '1', time: MS + id }));
    const numbers = (lines: readonly string[]): number[] => lines.map((line) => (JSON.parse(line) as { t: number }).t);
    const feed = async (answer: unknown, status = 200) => {
      player = new Player([plays([trade(6), trade(7), { error: 'end' }], staysOpen)]);
      const { lines, said } = await linesOf('binance', { historyUrl: await answers(answer, status) });
      player.close();
      rest?.close();
      return { numbers: numbers(lines), said };
    };
    const whole = await feed(past([2, 3, 4, 5, 6, 7]));
    expect(whole.numbers).to.deep.equal([2, 3, 4, 5, 6, 7]);
    expect(whole.said).to.match(/4 earlier trades\.\n$/);
    // What stands before a hole is another series.
    expect((await feed(past([1, 2, 4, 5, 6]))).numbers).to.deep.equal([4, 5, 6, 7]);
    const late = await feed(past([2, 3, 4]));
    expect(late).to.deep.include({ numbers: [6, 7] });
    expect(late.said).to.include('No earlier trades: none stands before the first one of the stream.').and.not.include('Gap');
    expect((await feed([null])).numbers).to.deep.equal([6, 7]);
    const failed = await feed({ code: -1 }, 503);
    expect(failed.numbers).to.deep.equal([6, 7]);
    expect(failed.said).to.match(/No earlier trades from 127\.0\.0\.1:\d+: status 503\.\n/);
  });

  const kept = (lines: readonly string[]): unknown[] =>
    lines.map((line) => (line === GAP_LINE ? 'gap' : (JSON.parse(line) as { t: number }).t));

  it('reads the trades of a gap from the exchange, and begins a new series only where they cannot be had', async () => {
    const past = (ids: readonly number[]): unknown => ids.map((id) => ({ id, price: String(100 + id), qty: '1', time: MS + id }));
    const gap = async (answer: unknown, status = 200) => {
      player = new Player([plays([trade(1), trade(2)]), plays([trade(6), { error: 'end' }], staysOpen)]);
      const { lines, said } = await linesOf('binance', { historyUrl: await answers(answer, status) });
      player.close();
      rest?.close();
      return { numbers: kept(lines), said };
    };
    const closed = await gap(past([2, 3, 4, 5, 6]));
    expect(closed.numbers).to.deep.equal([1, 2, 3, 4, 5, 6]);
    expect(closed.said).to.match(/Closed a gap: 3 trades are missing, and 3 were read from 127\.0\.0\.1:\d+\.\n$/);
    // Too few, too late, none, or no JSON.
    for (const answer of [past([4, 5, 6]), past([2, 3, 4]), [], 'x']) expect((await gap(answer)).numbers).to.deep.equal([1, 2, 'gap', 6]);
    expect((await gap({}, 429)).said).to.include('Gap: 3 trades are missing. A new series begins.');
  });

  it('reads the trades of a lost connection from an exchange that numbers none, if its last ones reach back', async () => {
    const message = (ms: number): object => ({
      arg: { channel: 'trades', instId: 'BTC-USDT' },
      data: [{ instId: 'BTC-USDT', px: '7.5', ts: String(ms) }],
    });
    const history = (times: readonly number[]): unknown => ({
      data: times.toReversed().map((ms) => ({ instId: 'BTC-USDT', px: '7.5', ts: String(MS + ms) })),
    });
    const stamps = async (times: readonly number[]): Promise<unknown[]> => {
      player = new Player([plays([message(MS)]), plays([message(MS + 900), { event: 'error', msg: 'end' }], staysOpen)]);
      const { lines } = await linesOf('okx', { historyUrl: await answers(history(times)) });
      player.close();
      rest?.close();
      return lines.map((line) => (line === GAP_LINE ? 'gap' : Number((JSON.parse(line) as { data: { ts: string }[] }).data[0].ts) - MS));
    };
    expect(await stamps([-100, 0, 300, 600, 900])).to.deep.equal([-100, 0, 300, 600, 900]);
    expect(await stamps([300, 600, 900])).to.deep.equal([0, 'gap', 900]);
  });

  it('lets a wrong number cost its own trade, and numbers that begin again cost one series', async () => {
    const upTo = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);
    const numbers = [...upTo(1, 30), 9e14, ...upTo(32, 60)];
    player = new Player([plays([...numbers.map(trade), { error: 'end' }], staysOpen)]);
    const wrong = await linesOf('binance');
    expect(kept(wrong.lines)).to.deep.equal([...upTo(1, 30), ...upTo(32, 60)]);
    expect(wrong.said).to.not.include('Gap');
    player.close();
    const again = [...upTo(5000, 5100), ...upTo(1, 300).map((t) => ({ ...trade(t), T: MS + 10_000 + t }))];
    player = new Player([plays([...again.map((each) => (typeof each === 'number' ? trade(each) : each)), { error: 'end' }], staysOpen)]);
    const { lines, said } = await linesOf('binance');
    expect(kept(lines)).to.deep.equal([...upTo(5000, 5100), 'gap', ...upTo(1, 300)]);
    expect(said).to.include('Gap: the trade numbers begin again. A new series begins.');
  });

  it('knows numbers with holes all the time, and says so once', async () => {
    const { uniform } = seededRandom(3);
    const numbers = Array.from({ length: 3000 }, (_, i) => i).filter(() => uniform() > 0.17);
    player = new Player([plays([...numbers.map(trade), { error: 'end' }], staysOpen)]);
    const { lines, said } = await linesOf('binance');
    const found = kept(lines);
    expect(found.filter((each) => each !== 'gap')).to.deep.equal(numbers);
    expect(found.lastIndexOf('gap')).to.be.below(40);
    expect(said.match(/About 1\d % of the trade numbers are missing all the time/g)).to.have.length(1);
  });

  it('does not read an answer of more than 8 MiB', async () => {
    player = new Player([plays([trade(6), { error: 'end' }], staysOpen)]);
    rest = createServer((_, response) => {
      response.writeHead(200, { Connection: 'close', 'content-encoding': 'gzip' });
      response.end(gzipSync(Buffer.alloc(9 * 2 ** 20, 32)));
    });
    rest.listen(0, '127.0.0.1');
    await once(rest, 'listening');
    const { lines, said } = await linesOf('binance', { historyUrl: `http://127.0.0.1:${(rest.address() as AddressInfo).port}/` });
    expect(kept(lines)).to.deep.equal([6]);
    expect(said).to.include('the answer is longer than 8 MiB');
  });

  it('takes trades without numbers only before the stamp of the first one of the stream', async () => {
    const message = { arg: { channel: 'trades', instId: 'BTC-USDT' }, data: [{ instId: 'BTC-USDT', px: '7.5', ts: String(MS - 500) }] };
    player = new Player([plays([message, { event: 'error', msg: 'end' }], staysOpen)]);
    const { lines } = await linesOf('okx', { historyUrl: await answers(EXCHANGE_CASES['okx'].history([5, 6])) });
    expect(lines.map((line) => (JSON.parse(line) as { data: { px: string }[] }).data[0].px)).to.deep.equal(['105', '7.5']);
  });

  /** What a feed that records these messages gives, and then the recording: a column of all ticks. */
  async function recorded(messages: readonly object[], quotes: boolean) {
    const folder = mkdtempSync(path.join(tmpdir(), 'tickmark-feed-'));
    try {
      player = new Player([plays([...messages, { error: 'end' }], staysOpen)]);
      const record = path.join(folder, 'r.ndjson.gz');
      const flags = { exchange: 'binance', symbol: 'BTC/USDT', feedUrl: await player.url(), quotes, record };
      const feed = openFeed(flags, () => {}, new AbortController().signal)!;
      const [live, replayed]: FeedTicks[][] = [[], []];
      const options = { series: 'x', nowMs: () => 0, file: {} };
      const error = await readTickFeed(feed, options, async (ticks) => void live!.push(ticks)).catch((caught: unknown) => caught);
      await feed.close();
      expect(error).to.include({ code: 'feed.failed' });
      await readTickFeed(record, options, async (ticks) => void replayed!.push(ticks));
      const columnsOf = (batches: FeedTicks[]) => (key: keyof FeedTicks) =>
        batches.flatMap((ticks) => [...(ticks[key] as Iterable<unknown>)]);
      const [ofFeed, ofRecording] = [columnsOf(live!), columnsOf(replayed!)];
      for (const key of ['series', 'timesUs', 'prices', 'bids', 'asks'] as const) expect(ofRecording(key)).to.deep.equal(ofFeed(key));
      return ofFeed;
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  it('streams quotes, which have the time of their arrival where the exchange sends none, also in a recording', async () => {
    const quote = (u: number): object => ({ u, s: 'BTCUSDT', b: String(100 + u), B: '1', a: String(100.5 + u), A: '1' });
    const column = await recorded([quote(1), quote(2)], true);
    expect([column('bids'), column('asks')]).to.deep.equal([
      [101, 102],
      [101.5, 102.5],
    ]);
    expect(Math.abs(Number(column('timesUs')[0]) / 1000 - Date.now())).to.be.below(60_000);
  });

  it('keeps a recording that gives the same series and ticks', async () => {
    const column = await recorded([trade(1), trade(2), trade(5)], false);
    expect(column('series')).to.deep.equal(['BTCUSDT', 'BTCUSDT', 'BTCUSDT.2']);
  });

  it('ends a connection that is silent for three heartbeats', async () => {
    player = new Player([staysOpen], false);
    expect((await linesOf('binance', { beats: true })).said).to.include(': silent. Connects again');
  });

  for (const [what, flags, part] of [
    ['neither file nor exchange', {}, EXCHANGE_NAMES.join(', ')],
    ['both', { file: 'a', exchange: 'okx' }, 'both are given'],
    ['a symbol without a slash', { exchange: 'okx', symbol: 'BTCUSDT' }, 'not "BTCUSDT"'],
    ['no symbol', { exchange: 'okx' }, '--symbol BTC/USDT'],
    ['a recording of a file', { file: 'a', record: 'b.ndjson.gz' }, 'belong to --exchange'],
  ] as const)
    it(`refuses ${what}`, () => {
      expect(() => openFeed(flags, () => {}, new AbortController().signal)).to.throw(ServiceError, part);
    });
});
