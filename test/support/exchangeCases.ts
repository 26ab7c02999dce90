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
  /** Answer over REST: trades 5 and 6 at 105 and 106, a second and half of one before `MS`. */
  readonly history: unknown;
  readonly isNumbered: boolean;
  readonly quotes: {
    readonly subscribes: string | undefined;
    readonly message: object;
    readonly sides: readonly [bid: number, ask: number];
    /** Whether the message has a time, which is `MS`. */
    readonly hasTime: boolean;
  };
};

const agoMs = (id: number): number => MS - 500 * (7 - id);

export const EXCHANGE_CASES: Readonly<Record<string, ExchangeCase>> = {
  binance: {
    symbol: 'BTCUSDT',
    subscribes: undefined,
    trade: { e: 'trade', s: 'BTCUSDT', t: 1, p: '101', T: MS + 1 },
    failure: { error: { code: 2, msg: 'Invalid request' } },
    history: [5, 6].map((id) => ({ id, price: String(100 + id), qty: '1', time: agoMs(id), isBuyerMaker: true })),
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
    history: [6, 5].map((id) => ({ trade_id: id, price: String(100 + id), size: '1', time: new Date(agoMs(id)).toISOString() })),
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
    history: {
      error: [],
      result: { XXBTZUSD: [5, 6].map((id) => [String(100 + id), '1', agoMs(id) / 1000, 'b', 'm', '', id]), last: '1' },
    },
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
    history: {
      retCode: 0,
      result: {
        list: [6, 5].map((id) => ({ execId: `x${id}`, price: String(100 + id), size: '1', side: 'Buy', time: String(agoMs(id)) })),
      },
    },
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
    history: {
      code: '0',
      data: [6, 5].map((id) => {
        const ts = String(agoMs(id));
        return { instId: 'BTC-USDT', tradeId: String(id), px: String(100 + id), sz: '1', side: 'buy', ts };
      }),
    },
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
