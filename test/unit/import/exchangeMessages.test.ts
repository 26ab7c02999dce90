import { expect } from 'chai';
import { addExchangeTicks, isExchangeMessage } from '../../../src/import/exchangeMessages.ts';

const US = Date.UTC(2024, 0, 2, 9, 30, 0, 123) * 1000;
const MS = US / 1000;
const ISO = '2024-01-02T09:30:00.123456Z';

const ticksOf = (message: unknown): unknown[] => {
  const ticks: unknown[] = [];
  addExchangeTicks(message as Record<string, unknown>, (...tick) => ticks.push(tick));
  return ticks;
};

describe('exchange messages', () => {
  for (const [what, message, expected] of [
    ['a Binance trade', { e: 'trade', E: MS + 1, s: 'BTCUSDT', t: 1, p: '42950.50', q: '1', T: MS, m: true }, [['BTCUSDT', US, 42950.5]]],
    ['a Binance aggTrade in microseconds', { e: 'aggTrade', s: 'BTCUSDT', p: '7.5', T: US + 5 }, [['BTCUSDT', US + 5, 7.5]]],
    ['a bookTicker of Binance futures', { e: 'bookTicker', u: 1, s: 'X', b: '10', a: '12', T: MS, E: MS }, [['X', US, 11]]],
    ['a bookTicker of Binance spot, which has no time', { u: 1, s: 'X', b: '10', B: '1', a: '12', A: '1' }, [['X', undefined, 11]]],
    ['a combined stream of Binance', { stream: 'x@trade', data: { e: 'trade', s: 'X', p: '3', T: MS } }, [['X', US, 3]]],
    ['a Coinbase ticker', { type: 'ticker', product_id: 'ETH-USD', price: '1285.22', time: ISO }, [['ETH-USD', US + 456, 1285.22]]],
    [
      'a Coinbase Advanced Trade ticker',
      { channel: 'ticker', timestamp: ISO, events: [{ type: 'update', tickers: [{ product_id: 'A-B', price: '2' }] }] },
      [['A-B', US + 456, 2]],
    ],
    [
      'a Kraken ticker',
      { channel: 'ticker', type: 'update', data: [{ symbol: 'ALGO/USD', bid: 0.1, ask: 0.2, last: 0.1, timestamp: ISO }] },
      [['ALGO/USD', US + 456, (0.1 + 0.2) / 2]],
    ],
    [
      'two Kraken trades',
      { channel: 'trade', type: 'update', data: [1, 2].map((price) => ({ symbol: 'X/Y', price, qty: 1, timestamp: ISO })) },
      [1, 2].map((price) => ['X/Y', US + 456, price]),
    ],
  ] as const)
    it(`reads ${what}`, () => {
      expect(isExchangeMessage(message)).to.equal(true);
      expect(ticksOf(message)).to.deep.equal(expected);
    });

  for (const message of [
    { result: null, id: 1 },
    { type: 'subscriptions', channels: [] },
    { channel: 'heartbeat' },
    { channel: 'status', type: 'update', data: [{ system: 'online' }] },
    { channel: 'ticker', data: [null, 7, { symbol: 'A', bid: 1 }], events: [null, {}] },
    { method: 'subscribe', success: true },
    { e: 'trade', s: 'X', p: 'no', T: MS },
    { e: 'trade', s: '', p: '1', T: MS },
    { e: 'trade', s: 'X', p: '-1', T: MS },
    { e: 'kline', s: 'X', k: {} },
    { stream: 'a', data: null },
  ])
    it(`finds no tick in ${JSON.stringify(message)}`, () => {
      expect(isExchangeMessage(message)).to.equal(true);
      expect(ticksOf(message)).to.deep.equal([]);
    });

  it('does not mistake other JSON for messages of an exchange', () => {
    for (const value of [
      null,
      7,
      [],
      [{ e: 'trade' }],
      { timestamp: ISO, price: 1 },
      { Timestamp: [], Price: [] },
      { time: 1, bid: 1, ask: 2 },
    ])
      expect(isExchangeMessage(value), JSON.stringify(value)).to.equal(false);
  });
});
