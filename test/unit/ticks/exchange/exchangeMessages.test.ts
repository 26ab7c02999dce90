import { expect } from 'chai';
import { addExchangeTicks, isExchangeMessage, messageIn, priceOf } from '../../../../src/ticks/exchange/exchangeMessages.ts';

const US = Date.UTC(2024, 0, 2, 9, 30, 0, 123) * 1000;
const MS = US / 1000;
const ISO = '2024-01-02T09:30:00.123456Z';

const ticksOf = (message: unknown): unknown[] => {
  const ticks: unknown[] = [];
  addExchangeTicks(message, (tick) => ticks.push([tick.symbol, tick.timeUs, priceOf(tick)]));
  return ticks;
};

describe('exchange messages', () => {
  for (const [what, message, expected] of [
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
      'two Kraken trades',
      { channel: 'trade', type: 'update', data: [1, 2].map((price) => ({ symbol: 'X/Y', price, qty: 1, timestamp: ISO })) },
      [1, 2].map((price) => ['X/Y', US + 456, price]),
    ],
    ['Hyperliquid trades', { channel: 'trades', data: [{ coin: 'BTC', side: 'A', px: '7.5', time: MS }] }, [['BTC', US, 7.5]]],
    ['trades of Kraken v1', [337, [['7.5', '0.1', '1704187800.123000', 's', 'l', '']], 'trade', 'XBT/USD'], [['XBT/USD', US, 7.5]]],
    ['a spread of Kraken v1', [337, ['7', '8', '1704187800.123000', '1', '1'], 'spread', 'XBT/USD'], [['XBT/USD', US, 7.5]]],
    ['a trade of Kraken futures', { feed: 'trade', product_id: 'PF_X', time: MS, qty: 1, price: 7.5 }, [['PF_X', US, 7.5]]],
    ['BitMEX trades', { table: 'trade', action: 'insert', data: [{ timestamp: ISO, symbol: 'X', price: 7.5 }] }, [['X', US + 456, 7.5]]],
    [
      'Deribit trades',
      { method: 'subscription', params: { channel: 'trades.X.raw', data: [{ timestamp: MS, price: 7.5, instrument_name: 'X' }] } },
      [['X', US, 7.5]],
    ],
    ['a Bitstamp trade', { event: 'trade', channel: 'live_trades_x', data: { microtimestamp: String(US), price: 7.5 } }, [['x', US, 7.5]]],
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
      [1, 2, 'trade', 'X'],
      { timestamp: ISO, price: 1 },
      { Timestamp: [], Price: [] },
      { time: 1, bid: 1, ask: 2 },
    ])
      expect(isExchangeMessage(value), JSON.stringify(value)).to.equal(false);
  });

  it('are found behind the time at which a recorder wrote them', () => {
    const message = { e: 'trade', s: 'X', p: '1', T: MS };
    for (const time of ['1704187800123000000', '2024-01-02T09:30:00.123Z'])
      expect(messageIn(`${time} ${JSON.stringify(message)}`)).to.deep.equal(message);
  });

  const binance = { e: 'trade', s: 'X', p: '7.5', T: MS };
  const bybit = { T: MS, s: 'X', S: 'Buy', v: '0.1', p: '7.5' };
  const deribit = { timestamp: MS, price: 7.5, instrument_name: 'X' };
  const bitmex = { timestamp: ISO, symbol: 'X', price: 7.5 };
  const oanda = { type: 'PRICE', instrument: 'X', time: ISO, bids: [{ price: '7' }], asks: [{ price: '8' }] };
  const futures = { feed: 'trade', product_id: 'X', time: MS, qty: 1, price: 7.5 };
  const gate = { contract: 'X', create_time_ms: MS, price: '7.5' };
  const ofBybit = (trade: object): object => ({ topic: 'publicTrade.X', data: [trade] });
  const ofDeribit = (trade: object): object => ({ method: 'subscription', params: { channel: 'trades.X.raw', data: [trade] } });
  const ofBitmex = (trade: object): object => ({ table: 'trade', data: [trade] });
  const ofGate = (trade: object): object => ({ channel: 'futures.trades', result: [trade] });
  for (const [what, wrap, entry, off, on] of [
    ['Binance', (trade: object) => trade, binance, { X: ['INSURANCE_FUND', 'ADL', 'NA', 'BLOCK'] }, { X: ['MARKET'] }],
    ['a combined stream of Binance', (data: object) => ({ stream: 'x@trade', data }), binance, { X: ['NA'] }, { X: ['MARKET'] }],
    ['Bybit', ofBybit, bybit, { BT: [true] }, { BT: [false], RPI: [true, false] }],
    ['Deribit', ofDeribit, deribit, { block_trade_id: ['154'], combo_trade_id: [7] }, { liquidation: ['T'], block_trade_id: [null] }],
    ['BitMEX', ofBitmex, bitmex, { trdType: ['Settlement'] }, { trdType: ['Regular'] }],
    [
      'Kraken futures',
      (trade: object) => trade,
      futures,
      { type: ['block', 'termination', 'assignment'] },
      { type: ['fill', 'liquidation'] },
    ],
    ['Gate.io', ofGate, gate, { is_internal: [true] }, { is_internal: [false] }],
    [
      'OANDA',
      (trade: object) => trade,
      oanda,
      { tradeable: [false], status: ['non-tradeable'] },
      { tradeable: [true], status: ['tradeable'] },
    ],
  ] as const)
    it(`leaves out what ${what} calls no price of the market, and nothing else`, () => {
      const all = (fields: object): [string, unknown][] =>
        Object.entries(fields).flatMap(([name, values]) => (values as unknown[]).map((value): [string, unknown] => [name, value]));
      for (const [name, value] of all(off))
        expect(ticksOf(wrap({ ...entry, [name]: value })), `${name} ${String(value)}`).to.deep.equal([]);
      for (const [name, value] of [...all(on), ['other', 1] as const])
        expect(ticksOf(wrap({ ...entry, [name]: value })), `${name} ${String(value)}`).to.have.length(1);
    });
});
