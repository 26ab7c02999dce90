/** What the documentation of each exchange of the table has, for BTC/USDT. */
export const MS = Date.UTC(2024, 0, 2, 9, 30);
const ISO = '2024-01-02T09:30:00.000Z';
/** When the messages are read. */
export const NOW_MS = MS + 40;

type ExchangeCase = {
  /** In the form of the exchange. */
  readonly symbol: string;
  /** Part of what is sent for the trades; undefined: nothing. */
  readonly subscribes: string | undefined;
  readonly trade: object;
  /** Says "Invalid request". */
  readonly failure: object;
  /** Answer over REST: trades with these numbers, at 100 and the number, half a second apart; 5 and 6 a second and half of one before `MS`. */
  readonly history: (ids: readonly number[]) => unknown;
  /** Which of the trades are in the answer to a request, of three; undefined: the last ones, whatever is asked. */
  readonly page?: (url: URL, ids: readonly number[]) => readonly number[];
  /** Answer over REST: bars of the two minutes before `MS`, 101 to 104 and 102 to 103, from 90 to 110, and one without a trade. */
  readonly bars: unknown;
  /** Part of the request for bars of a minute up to `MS`. */
  readonly barPath: string;
  readonly isNumbered: boolean;
  readonly quotes: {
    readonly subscribes: string | undefined;
    readonly message: object;
    readonly sides: readonly [bid: number, ask: number];
    /** Whether the message has a time, which is `MS`. */
    readonly hasTime: boolean;
  };
};

const BARS = [
  [MS - 120_000, 101, 110, 90, 104, 7],
  [MS - 60_000, 102, 110, 90, 103, 7],
  [MS, 103, 103, 103, 103, 0],
];
const barTexts = BARS.map((bar) => bar.map(String));

const agoMs = (id: number): number => MS - 500 * (7 - id);

export const EXCHANGE_CASES: Readonly<Record<string, ExchangeCase>> = {
  binance: {
    symbol: 'BTCUSDT',
    subscribes: undefined,
    trade: { e: 'trade', s: 'BTCUSDT', t: 1, p: '101', T: MS + 1 },
    failure: { error: { code: 2, msg: 'Invalid request' } },
    history: (ids) => ids.map((id) => ({ id, price: String(100 + id), qty: '1', time: agoMs(id), isBuyerMaker: true })),
    page: ({ pathname, searchParams }, ids) =>
      pathname.endsWith('/historicalTrades') ? ids.filter((id) => id >= Number(searchParams.get('fromId'))).slice(0, 3) : ids.slice(-3),
    bars: BARS.map(([startMs, ...bar]) => [startMs, ...bar.map(String), startMs + 59_999, '1', 3, '1', '1', '0']),
    barPath: `/api/v3/klines?symbol=BTCUSDT&interval=1m&limit=1000&endTime=${MS}`,
    isNumbered: true,
    quotes: {
      subscribes: undefined,
      message: { u: 400900217, s: 'BTCUSDT', b: '25.35190000', B: '31.21000000', a: '25.36520000', A: '40.66000000' },
      sides: [25.3519, 25.3652],
      hasTime: false,
    },
  },
  coinbase: {
    symbol: 'BTC-USDT',
    subscribes: '"product_ids":["BTC-USDT"]',
    trade: { type: 'match', trade_id: 10, price: '7.5', product_id: 'BTC-USDT', time: ISO },
    failure: { type: 'error', message: 'Failed to subscribe', reason: 'Invalid request' },
    history: (ids) =>
      ids.toReversed().map((id) => ({ trade_id: id, price: String(100 + id), size: '1', time: new Date(agoMs(id)).toISOString() })),
    page: ({ searchParams }, ids) => ids.filter((id) => id < Number(searchParams.get('after') ?? Infinity)).slice(-3),
    bars: BARS.slice(0, 2)
      .map(([startMs, open, high, low, close, volume]) => [startMs / 1000, low, high, open, close, volume])
      .toReversed(),
    barPath: `/products/BTC-USDT/candles?granularity=60&start=${MS / 1000 - 299 * 60}&end=${MS / 1000}`,
    isNumbered: true,
    quotes: {
      subscribes: '"channels":["ticker","heartbeat"]',
      message: {
        ...{ type: 'ticker', sequence: 37475248783, product_id: 'BTC-USDT', price: '1285.22', open_24h: '1310.79' },
        ...{ best_bid: '1285.04', best_bid_size: '0.46688654', best_ask: '1285.27', best_ask_size: '1.56637040', side: 'buy' },
        ...{ time: ISO, trade_id: 370843401, last_size: '11.4396987' },
      },
      sides: [1285.04, 1285.27],
      hasTime: true,
    },
  },
  kraken: {
    symbol: 'BTC/USDT',
    subscribes: '"symbol":["BTC/USDT"]',
    trade: { channel: 'trade', type: 'update', data: [{ symbol: 'BTC/USDT', price: 7.5, trade_id: 4, timestamp: ISO }] },
    failure: { method: 'subscribe', success: false, error: 'Invalid request' },
    history: (ids) => ({
      error: [],
      result: { XXBTZUSD: ids.map((id) => [String(100 + id), '1', agoMs(id) / 1000, 'b', 'm', '', id]), last: '1' },
    }),
    page: ({ searchParams }, ids) => {
      const since = searchParams.get('since');
      return since === null ? ids.slice(-3) : ids.filter((id) => BigInt(agoMs(id)) * 1_000_000n > BigInt(since)).slice(0, 3);
    },
    bars: {
      error: [],
      result: {
        XXBTZUSD: BARS.map(([startMs, ...bar]) => [startMs / 1000, ...bar.slice(0, 4).map(String), '100', String(bar[4]), 3]),
        last: 1,
      },
    },
    barPath: '/0/public/OHLC?pair=XBTUSDT&interval=1',
    isNumbered: true,
    quotes: {
      subscribes: '"event_trigger":"bbo"',
      message: {
        ...{ channel: 'ticker', type: 'update' },
        data: [{ symbol: 'BTC/USDT', bid: 1285.04, ask: 1285.27, last: 1285.22, timestamp: ISO }],
      },
      sides: [1285.04, 1285.27],
      hasTime: true,
    },
  },
  bybit: {
    symbol: 'BTCUSDT',
    subscribes: '"publicTrade.BTCUSDT"',
    trade: { topic: 'publicTrade.BTCUSDT', ts: MS, data: [{ s: 'BTCUSDT', T: MS, p: '7.5' }] },
    failure: { op: 'subscribe', success: false, ret_msg: 'Invalid request' },
    history: (ids) => ({
      retCode: 0,
      result: {
        list: ids
          .toReversed()
          .map((id) => ({ execId: `x${id}`, price: String(100 + id), size: '1', side: 'Buy', time: String(agoMs(id)) })),
      },
    }),
    bars: { retCode: 0, result: { symbol: 'BTCUSDT', category: 'spot', list: barTexts.map((bar) => [...bar, '1']).toReversed() } },
    barPath: `/v5/market/kline?category=spot&symbol=BTCUSDT&interval=1&limit=1000&end=${MS}`,
    isNumbered: false,
    quotes: {
      subscribes: '"orderbook.1.BTCUSDT"',
      message: {
        ...{ topic: 'orderbook.1.BTCUSDT', ts: MS, type: 'snapshot', cts: MS - 3 },
        data: { s: 'BTCUSDT', b: [['16493.50', '0.006']], a: [['16611.00', '0.029']], u: 18521288, seq: 7961638724 },
      },
      sides: [16493.5, 16611],
      hasTime: true,
    },
  },
  okx: {
    symbol: 'BTC-USDT',
    subscribes: '"instId":"BTC-USDT"',
    trade: { arg: { channel: 'trades', instId: 'BTC-USDT' }, data: [{ instId: 'BTC-USDT', px: '7.5', ts: String(MS) }] },
    failure: { event: 'error', code: '60012', msg: 'Invalid request' },
    history: (ids) => ({
      code: '0',
      data: ids.toReversed().map((id) => {
        const ts = String(agoMs(id));
        return { instId: 'BTC-USDT', tradeId: String(id), px: String(100 + id), sz: '1', side: 'buy', ts };
      }),
    }),
    page: ({ searchParams }, ids) => ids.filter((id) => agoMs(id) < Number(searchParams.get('after') ?? Infinity)).slice(-3),
    bars: { code: '0', msg: '', data: barTexts.map((bar) => [...bar, '1', '1', '1']).toReversed() },
    barPath: `/api/v5/market/candles?instId=BTC-USDT&bar=1m&limit=300&after=${MS + 1}`,
    isNumbered: false,
    quotes: {
      subscribes: '"channel":"bbo-tbt"',
      message: {
        arg: { channel: 'bbo-tbt', instId: 'BTC-USDT' },
        data: [{ asks: [['111.06', '55154', '0', '2']], bids: [['111.05', '57745', '0', '2']], ts: String(MS), seqId: 363996337 }],
      },
      sides: [111.05, 111.06],
      hasTime: true,
    },
  },
};
