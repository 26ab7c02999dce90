import { expect } from 'chai';
import { tmpdir } from 'node:os';
import { type Ccxt, ccxtFeed, loadCcxt } from '../../../../src/ticks/exchange/ccxtFeed.ts';
import { ServiceError } from '../../../../src/core/ServiceError.ts';
import { addExchangeTicks, GAP_LINE, isExchangeMessage } from '../../../../src/ticks/exchange/exchangeMessages.ts';

class NetworkError extends Error {}
const trade = (id: number, timestamp = 1000 * id) => ({ id: String(id), timestamp: 1.7e12 + timestamp, price: 100 + id });

/** An exchange that gives what a test says, call by call, and then waits until it is closed. */
function fakeCcxt(
  calls: readonly (readonly ReturnType<typeof trade>[] | Error)[],
  earlier: readonly ReturnType<typeof trade>[] | Error = [],
) {
  const state = { closed: 0, reject: (_: Error): void => {} };
  let at = 0;
  class Fake {
    readonly has = { fetchTrades: true };
    async watchTrades(): Promise<readonly ReturnType<typeof trade>[]> {
      const next = calls[at++];
      if (next instanceof Error) throw next;
      return next ?? new Promise((_, reject) => (state.reject = reject));
    }
    async fetchTrades(): Promise<readonly ReturnType<typeof trade>[]> {
      if (earlier instanceof Error) throw earlier;
      return earlier;
    }
    async close(): Promise<void> {
      state.closed++;
      state.reject(new Error('closed'));
    }
  }
  return { state, ccxt: { pro: { fake: Fake }, NetworkError } satisfies Ccxt };
}

async function read({ ccxt }: { readonly ccxt: Ccxt }, most = Infinity) {
  const lines: string[] = [];
  let said = '';
  let error: unknown;
  const clock = { after: (_: number, run: () => void) => (setImmediate(run), () => {}) };
  const parts = { ccxt, name: 'fake', symbol: 'BTC/USDT:USDT', clock, say: (text: string) => void (said += text) };
  try {
    for await (const text of ccxtFeed({ ...parts, signal: new AbortController().signal })) {
      lines.push(...text.trim().split('\n'));
      if (lines.length >= most) break;
    }
  } catch (caught) {
    error = caught;
  }
  const ids = lines.map((line) => (line === GAP_LINE ? 'gap' : Number((JSON.parse(line) as { trade_id: string }).trade_id)));
  return { lines, ids, said, error };
}

describe('the feed of an exchange of ccxt', () => {
  it('gives earlier trades and those of the stream once, in lines that a recording has', async () => {
    const fake = fakeCcxt(
      [
        [trade(5), trade(6)],
        [trade(6), trade(7, 6000)],
      ],
      [trade(3), trade(4), trade(5)],
    );
    const { ids, lines, said } = await read(fake, 5);
    expect([ids, fake.state.closed]).to.deep.equal([[3, 4, 5, 6, 7], 1]);
    expect(said).to.equal('2 earlier trades.\n');
    const message: unknown = JSON.parse(lines[0]);
    expect(isExchangeMessage(message)).to.equal(true);
    addExchangeTicks(message, (tick) => expect(tick).to.deep.equal({ symbol: 'BTC-USDT:USDT', timeUs: 1.7e15 + 3e6, price: 103 }));
  });

  it('begins a new series after a lost connection, and ends after more than 8 in a row or with what ccxt refuses', async () => {
    const lost = new NetworkError('reset');
    const gap = await read(fakeCcxt([[trade(1)], lost, [trade(2)], new Error('bad symbol')], new Error('no history')));
    expect(gap.ids).to.deep.equal([1, 'gap', 2]);
    expect(gap.said).to.match(/^No earlier trades: no history\.\nccxt fake: reset\. Connects again\.\nGap: /);
    expect(gap.error).to.include({ code: 'feed.failed', message: 'ccxt fake: bad symbol' });
    expect((await read(fakeCcxt(Array.from({ length: 9 }, () => lost)))).error).to.include({ message: 'ccxt fake: reset' });
  });

  it('reads the trades of a lost connection from the exchange, and no trade twice after a stamp that is far ahead', async () => {
    const lost = new NetworkError('reset');
    const bridged = await read(
      fakeCcxt([[trade(1), trade(2)], lost, [trade(5)], new Error('end')], [trade(2), trade(3), trade(4), trade(5)]),
    );
    expect(bridged.ids).to.deep.equal([1, 2, 3, 4, 5]);
    expect(bridged.said).to.include('The connection was lost, and 2 trades were read from the exchange.');
    const tooLate = await read(fakeCcxt([[trade(1), trade(2)], lost, [trade(5)], new Error('end')], [trade(4), trade(5)]));
    expect(tooLate.ids).to.deep.equal([1, 2, 'gap', 5]);
    const ahead = await read(fakeCcxt([[trade(1), trade(2, 9e7)], [trade(2, 9e7), trade(3), trade(4)], new Error('end')]));
    expect(ahead.ids).to.deep.equal([1, 2, 3, 4]);
  });

  it('names the one command where ccxt is not installed, and an exchange that ccxt does not have', async () => {
    const missing: unknown = await loadCcxt(tmpdir()).catch((error: unknown) => error);
    expect(missing).to.be.instanceOf(ServiceError);
    expect(String(missing)).to.include('npm install ccxt');
    const none = await read({ ccxt: { pro: {}, NetworkError } });
    expect(String(none.error)).to.include('ccxt streams no exchange "fake"');
  });
});
