import { expect } from 'chai';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { systemClock } from '../../../../src/core/Clock.ts';
import type { ServiceError } from '../../../../src/core/ServiceError.ts';
import { marketOfTable, openExchange, readBars, refusalOf } from '../../../../src/service/markets/openExchange.ts';
import type { Market } from '../../../../src/service/markets/Market.ts';
import { loadCcxt } from '../../../../src/ticks/exchange/ccxtFeed.ts';
import { GAP_LINE } from '../../../../src/ticks/exchange/exchangeMessages.ts';
import type { Trade } from '../../../../src/ticks/exchange/FeedParts.ts';

/** A package ccxt with one exchange: its last trades are 1 to 3, and then it streams 4 and 5. */
const PACKAGE = `
class NetworkError extends Error {}
const trade = (id) => ({ id: String(id), timestamp: 1.7e12 + 1000 * id, price: 100 + id });
class Fake {
  has = { fetchTrades: true };
  calls = 0;
  watchTrades() {
    if (this.calls++ === 0) return Promise.resolve([trade(4), trade(5)]);
    return new Promise((_, reject) => (this.reject = reject));
  }
  async fetchTrades() { return [1, 2, 3, 4].map(trade); }
  async close() { this.reject?.(new Error('closed')); }
}
module.exports = { NetworkError, pro: { fake: Fake } };
`;
const FEED = { exchange: 'ccxt:fake', symbol: 'BTC/USDT', kind: 'trades' } as const;

describe('a market of ccxt in the service', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'tickmark-ccxt-'));
    mkdirSync(path.join(folder, 'node_modules/ccxt'), { recursive: true });
    writeFileSync(path.join(folder, 'node_modules/ccxt/package.json'), '{"name":"ccxt","main":"index.js"}');
    writeFileSync(path.join(folder, 'node_modules/ccxt/index.js'), PACKAGE);
  });
  after(() => rmSync(folder, { recursive: true }));

  /** The prices of the first lines, with the gaps, of a feed that goes on from a trade, and where it is then. */
  async function read(last: Trade | undefined, exchange = 'ccxt:fake', from = folder) {
    const stop = new AbortController();
    const place = { last };
    const parts = { clock: systemClock, random: () => 0, say: () => {}, onLost: () => {}, signal: stop.signal, place };
    const prices: unknown[] = [];
    for await (const lines of openExchange(marketOfTable, () => loadCcxt(from))({ ...FEED, exchange }, parts)) {
      for (const line of lines.trim().split('\n')) prices.push(line === GAP_LINE ? 'gap' : (JSON.parse(line) as { price: number }).price);
      stop.abort();
    }
    return { prices, place };
  }
  const at = (id: number): Trade => ({ timeUs: 1000 * (1.7e12 + 1000 * id), number: undefined });

  it('begins with the last trades, and knows where it is', async () => {
    expect(await read(undefined)).to.deep.equal({ prices: [101, 102, 103, 104, 105], place: { last: at(5) } });
  });

  it('goes on after a restart without a gap only if the last trades reach back to the one before it', async () => {
    expect((await read(at(2))).prices).to.deep.equal([101, 102, 103, 104, 105]);
    expect((await read(at(0))).prices[0]).to.equal('gap');
  });

  it('says what is missing, and has no bars and no host but its name', async () => {
    const caught = await read(undefined, 'ccxt:fake', tmpdir()).catch((error: ServiceError) => error);
    expect(caught).to.deep.include({ code: 'feed.failed' });
    expect(String(caught)).to.include('ccxt:fake needs the package ccxt in the folder of the service: npm install ccxt.');
    const unknown = await read(undefined, 'ccxt:other').catch((error: ServiceError) => error);
    expect(String(unknown)).to.include('ccxt streams no exchange "other"');
    const parts = { clock: systemClock, say: () => {}, signal: new AbortController().signal };
    expect(await readBars(marketOfTable)(FEED, { fromUs: 0, periodUs: 60e6 }, parts)).to.equal(undefined);
    const market = FEED as unknown as Market;
    expect(refusalOf({ isOn: true, hosts: ['stream.binance.com'] }, marketOfTable)(market)).to.equal('FEED_HOSTS does not name ccxt:fake.');
    expect(refusalOf({ isOn: true, hosts: ['ccxt:fake'] }, marketOfTable)(market)).to.equal(undefined);
  });
});
