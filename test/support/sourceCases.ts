import {
  at,
  barTicks,
  atEnd,
  bar,
  bytes,
  comma,
  DAY_US,
  every,
  file,
  type FileCase,
  HOUR_US,
  iso,
  json,
  lines,
  ms,
  one,
  OTHER,
  other,
  session,
  swapped,
  table,
  whole,
} from './fileCase.ts';

/** Layouts of sources, exchanges and recorders. */
export const SOURCE_CASES: readonly FileCase[] = [
  {
    name: 'arrays of Bitfinex: id, milliseconds, signed amount, price',
    write: (ticks) =>
      JSON.stringify([...ticks].reverse().map(({ us, price, size }, i) => [9000 - i, ms(us), i % 2 ? size / 7 : -size / 7, price])),
    finding: 'order.newest_first',
  },
  file(
    'rows of Bitfinex as CSV without a header',
    '',
    ({ us, price, size }, i) => `${1_475_000_000 + i},${ms(us)},${i % 2 ? -size / 7 : size / 7},${price}`,
  ),
  json('the REST answer of Kraken', (ticks) => ({
    error: [],
    result: {
      XXBTZUSD: ticks.map(({ us, price, size }, i) => [
        price.toFixed(5),
        String(size / 7),
        us / 1e6,
        i % 2 ? 'b' : 's',
        'm',
        '',
        61_044_952 + i,
      ]),
      last: '1',
    },
  })),
  json('arrays of freqtrade', (ticks) =>
    ticks.map(({ us, price, size }, i) => [
      ms(us),
      String(13_519_807 + i),
      null,
      i % 2 ? 'buy' : 'sell',
      price,
      size / 7,
      (price * size) / 7,
    ]),
  ),
  file(
    'copy_ticks of MetaTrader 5: whole seconds, and milliseconds in time_msc',
    'time,bid,ask,last,volume,time_msc,flags,volume_real',
    ({ us, bid, ask }) => `${Math.floor(us / 1e6)},${bid},${ask},0.0,0,${ms(us)},130,0.0`,
  ),
  file(
    'MetaTrader 5 between commas, a side that did not change left empty',
    '<DATE>,<TIME>,<BID>,<ASK>,<LAST>,<VOLUME>,<FLAGS>',
    ({ us, bid, ask }, i) => `${at(us, '{Y}.{M}.{D},{h}:{m}:{s}.{f}')},${i % 3 === 1 ? '' : bid},${i % 3 === 2 ? '' : ask},,,6`,
    {
      ticks: (ticks) =>
        ticks.map(({ us }, i) => ({ us, price: (ticks[i % 3 === 1 ? i - 1 : i].bid + ticks[i % 3 === 2 ? i - 1 : i].ask) / 2 })),
    },
  ),
  file(
    'LSEG Tick History: the header begins with #, GMT Offset',
    '#RIC,Domain,Date-Time,GMT Offset,Type,Price,Volume',
    'GCc1,Market Price,{Y}-{M}-{D}T{h}:{m}:{s}.{u}000Z,+1,Trade,{price},{size}',
  ),
  file(
    'JForex: the zone stands in the header',
    'Time (EET),Ask,Bid,AskVolume,BidVolume',
    ({ us, bid, ask }) => `${at(us + 2 * HOUR_US, '{Y}.{M}.{D} {h}:{m}:{s}.{f}')},${ask},${bid},1.5,0.75`,
  ),
  file('NinjaTrader 8: seven digits of a fraction behind a blank', '', '{Y}{M}{D} {h}{m}{s} {u}0;{price};{bid};{ask};{size}'),
  file('NinjaTrader, seconds', '', '{Y}{M}{D} {h}{m}{s};{price};{size}', { ticks: whole }),
  {
    name: 'CTP: trading day, time and milliseconds in three columns, evenings on the day before',
    write: (ticks) =>
      table(
        'TradingDay,InstrumentID,UpdateTime,UpdateMillisec,LastPrice,Volume,BidPrice1,AskPrice1,AveragePrice',
        ({ us, price, bid, ask }, i) =>
          `20240119,ag2406,${at(us, '{h}:{m}:{s}')},${(us / 1000) % 1000},${price},${1000 + i},${bid},${ask},${price}`,
      )(session(ticks)),
    ticks: session,
  },
  file(
    'levels of a book, as Tardis records them',
    'exchange,symbol,timestamp,local_timestamp,is_snapshot,side,price,amount',
    ({ us, bid, ask, size }, i) => `binance,BTCUSDT,${us},${us + 4000},false,${i % 2 ? `bid,${bid}` : `ask,${ask}`},${size}`,
    { refused: 'the levels of an order book' },
  ),
  file(
    'orders, cancels and trades of Databento',
    'ts_recv,ts_event,action,side,price,size,order_id,symbol',
    ({ us, price, bid, size }, i) => `${iso(us)},${iso(us)},${'ATCM'[i % 4]},B,${i % 4 === 1 ? price : bid - 10},${size},64778424${i},ESH4`,
    { refused: '--event T', then: { event: 'T' }, ticks: every(1, 4) },
  ),
  file(
    'two contracts in one table',
    'ts_recv,ts_event,action,side,price,size,symbol',
    ({ us, price, size }, i) => `${iso(us)},${iso(us)},T,B,${i % 2 ? other(price) : price},${size},${i % 2 ? OTHER.name : 'ESH4'}`,
    { refused: '--symbol ESH4', then: { symbol: 'ESH4' }, ticks: every(0, 2) },
  ),
  file(
    'whole billionths, as Databento writes them',
    'ts_recv,ts_event,rtype,action,side,price,size',
    ({ us, price, size }) => `${us + 1}900,${us}000,0,T,B,${price * 1e9},${size}`,
  ),
  one('stamps of BitMEX and kdb', '{Y}-{M}-{D}D{h}:{m}:{s}.{u}000'),
  one('stamps of kdb with points', '{Y}.{M}.{D}D{h}:{m}:{s}.{u}000'),
  {
    name: 'bars with an address above the header, newest first',
    write: (ticks) =>
      `https://www.example.com\n${table('unix,date,symbol,open,high,low,close,Volume BTC', (tick) => `${tick.us / 1e6},${at(tick.us, '{Y}-{M}-{D} {h}:{m}:{s}')},BTC/USD,${bar(tick)},1.5`)([...barTicks(ticks)].reverse())}`,
    ticks: atEnd,
  },
  lines('trades of Binance with order ids before the price', ({ us, price }, i) => ({
    e: 'trade',
    E: ms(us) + 2,
    s: 'BTCUSDT',
    t: 3_396_000_000 + i,
    p: String(price),
    q: '0.2',
    b: 24_500_000_000 + i,
    a: 24_500_000_003 + i,
    T: ms(us),
    m: false,
  })),
  lines('trades of Binance with the keys in another order', ({ us, price }, i) => ({
    a: 24_500_000_003 + i,
    b: 24_500_000_000 + i,
    T: ms(us),
    t: 3_396_000_000 + i,
    q: '0.2',
    p: String(price),
    s: 'BTCUSDT',
    E: ms(us) + 2,
    e: 'trade',
  })),
  lines('bookTicker of Binance: b and B, a and A', ({ us, bid, ask }, i) => ({
    e: 'bookTicker',
    u: i,
    s: 'X',
    B: '900',
    b: String(bid),
    A: '800',
    a: String(ask),
    T: ms(us),
    E: ms(us) + 3,
  })),
  lines('keys that differ by case alone', ({ us, price }, i) => ({ t: 3_396_000_000 + i, T: ms(us), p: price, q: 1 })),
  file(
    'quotes of Interactive Brokers: priceBid, priceAsk',
    ',time,tickAttribBidAsk,priceBid,priceAsk,sizeBid,sizeAsk',
    '{i},{iso},"TickAttribBidAsk(bidPastLow=False, askPastHigh=False)",{bid},{ask},{size},7',
  ),
  file(
    'Sierra Chart: a blank after each comma, ticks written as bars',
    'Date, Time, Open, High, Low, Last, Volume, NumberOfTrades',
    '{Y}/1/19, {h}:{m}:{s}.{u}, 0.00, {ask}, {bid}, {price}, {size}, 1',
  ),
  file(
    'Sierra Chart: ticks written as bars of one price',
    'Date, Time, Open, High, Low, Last, Volume',
    '{Y}/{M}/{D}, {h}:{m}:{s}.{f}, {price}, {price}, {price}, {price}, {size}',
    { refused: '--columns date=Date,time=Time,price=Last', then: { columns: { date: 'Date', time: 'Time', price: 'Last' } } },
  ),
  file(
    'trades of B3: times as 143001053, decimal commas',
    'DataReferencia;CodigoInstrumento;AcaoAtualizacao;PrecoNegocio;QuantidadeNegociada;HoraFechamento;DataNegocio',
    ({ us, price, size }) => `${at(us, '{Y}-{M}-{D}')};WING24;0;${comma(price)};${size};${at(us, '{h}{m}{s}{f}')};${at(us, '{Y}-{M}-{D}')}`,
  ),
  file(
    'Kibot: price, bid and ask without a header',
    '',
    ({ us, price, bid, ask, size }) => `${at(us, '{M}/{D}/{Y},{h}:{m}:{s}')},${price},${bid},${ask},${size * 100}`,
    { refused: '--columns date=1,time=2,bid=4,ask=5', then: { columns: { date: '1', time: '2', price: '3' } }, ticks: whole },
  ),
  json(
    'a list for each symbol, as Alpaca gives it',
    (ticks) => ({
      trades: {
        AAPL: ticks.map(({ us, price, size }) => ({ t: iso(us), x: 'C', p: price, s: size })),
        MSFT: ticks.map(({ us, price, size }) => ({ t: iso(us + DAY_US), x: 'C', p: price * 2, s: size })),
      },
      next_page_token: null,
    }),
    { refused: '--symbol AAPL', then: { symbol: 'AAPL' } },
  ),
  json('a list of one symbol, as Alpaca gives it', (ticks) => ({
    trades: { AAPL: ticks.map(({ us, price, size }) => ({ t: iso(us), x: 'C', p: price, s: size })) },
    next_page_token: null,
  })),
  json('trades in result.trades, as Deribit gives them', (ticks) => ({
    jsonrpc: '2.0',
    result: {
      trades: ticks.map(({ us, price }, i) => ({ trade_seq: i, timestamp: ms(us), price, mark_price: price + 0.1, instrument_name: 'X' })),
      has_more: false,
    },
  })),
  file(
    'a date and a time with names of their own',
    'TradeDate,Symbol,TradeTime,Price,Size',
    '{Y}-{M}-{D},ESH4,{h}:{m}:{s}.{f},{price},{size}',
  ),
  file(
    'milliseconds in a column of their own',
    'Date,Time,Millisecond,Price,Volume',
    ({ us, price, size }) => `${at(us, '{Y}-{M}-{D},{h}:{m}:{s}')},${(us / 1000) % 1000},${price},${size}`,
  ),
  file('CSV with Chinese titles', '成交时间,成交价格,价格变动,成交量(手),性质', '{plain},{price},0.25,{size},买盘'),
  {
    name: 'titles in GBK',
    write: (ticks) => {
      const text = bytes(table('', '{plain},{price},{size}')(ticks));
      return new Uint8Array([0xca, 0xb1, 0xbc, 0xe4, 44, 0xbc, 0xdb, 0xb8, 0xf1, 44, 0xc1, 0xbf, 10, ...text]);
    },
  },
  file(
    'several stocks under the title id',
    '"timestamp","id","exchange","price"',
    ({ us, price }, i) => `"${iso(us)}","${['TSLA', 'AMD', 'NVDA'][i % 3]}","NMS",${[price, price / 2, price * 2][i % 3]}`,
    { refused: '--symbol id=TSLA', then: { symbol: 'id=TSLA' }, ticks: every(0, 3) },
  ),
  {
    name: 'messages of Bybit',
    write: (ticks) =>
      table('', ({ us, price }) =>
        JSON.stringify({
          topic: 'publicTrade.BTCUSDT',
          type: 'snapshot',
          ts: ms(us) + 2,
          data: [{ T: ms(us), s: 'BTCUSDT', S: 'Buy', v: '0.1', p: String(price) }],
        }),
      )(ticks),
  },
  lines('messages of OKX', ({ us, price }) => ({
    arg: { channel: 'trades', instId: 'BTC-USDT' },
    data: [{ instId: 'BTC-USDT', px: String(price), sz: '0.1', ts: String(ms(us)) }],
  })),
  lines('messages of Hyperliquid', ({ us, price }, i) => ({
    channel: 'trades',
    data: [{ coin: 'BTC', side: 'A', px: String(price), time: ms(us), tid: i }],
  })),
  lines('books of Hyperliquid', ({ us, bid, ask }) => ({
    channel: 'l2Book',
    data: { coin: 'BTC', time: ms(us), levels: [[{ px: String(bid), sz: '1' }], [{ px: String(ask), sz: '1' }]] },
  })),
  lines('best levels of OKX', ({ us, bid, ask }) => ({
    arg: { channel: 'bbo-tbt', instId: 'X' },
    data: [{ ts: String(ms(us)), bids: [[String(bid), '1', '0', '1']], asks: [[String(ask), '1', '0', '1']] }],
  })),
  lines('messages of Kraken, version 2', ({ us, price }) => ({
    channel: 'trade',
    data: [{ symbol: 'X', price, qty: 1, timestamp: iso(us) }],
  })),
  {
    name: 'messages of Bitfinex behind its answers, each trade twice',
    write: (ticks) =>
      `{"event":"info","version":2}\n{"event":"subscribed","channel":"trades","chanId":17,"pair":"X"}\n${table('', ({ us, price }, i) => ['te', 'tu'].map((kind) => JSON.stringify([17, kind, [i, ms(us), -0.1, price]])).join('\n'))(ticks)}`,
  },
  lines('messages without a price', ({ us }) => ({ e: 'depthUpdate', E: ms(us), s: 'X', U: 1, u: 2 }), {
    refused: 'is a trade or a best bid and ask',
  }),
  lines('messages of Kraken, version 1', ({ us, price }) => [
    337,
    [[String(price), '0.1', (us / 1e6).toFixed(6), 's', 'l', '']],
    'trade',
    'XBT/USD',
  ]),
  {
    name: 'messages of Coinbase behind an answer to the subscription',
    write: (ticks) =>
      `{"type":"subscriptions","channels":[]}\n${table('', ({ us, price }, i) => JSON.stringify({ type: 'match', trade_id: i, side: 'sell', size: '0.01', price: String(price), product_id: 'BTC-USD', time: iso(us) }))(ticks)}`,
  },
  file(
    'lines of a recorder: nanoseconds, then the message',
    '',
    ({ us, price }) => `${us + 900}000 ${JSON.stringify({ stream: 'x@trade', data: { e: 'trade', s: 'X', p: String(price), T: ms(us) } })}`,
  ),
  file(
    'lines of a recorder around messages without a time',
    '',
    ({ us, bid, ask }, i) =>
      `${us}000 ${JSON.stringify({ stream: 'x@bookTicker', data: { u: i, s: 'X', b: String(bid), B: '1', a: String(ask), A: '2' } })}`,
  ),
  lines('messages of two symbols', ({ us, price }, i) => ({ e: 'trade', s: i % 2 ? 'ETHUSDT' : 'BTCUSDT', p: String(price), T: ms(us) }), {
    refused: '--symbol BTCUSDT',
    then: { symbol: 'BTCUSDT' },
    ticks: every(0, 2),
  }),
  {
    name: 'newest first with rows that are late by a second',
    write: (ticks) =>
      table('id,exec_date,side,price', ({ us, price }, i) => `${9000 - i},${iso(us)},BUY,${price}`)(swapped([...ticks].reverse())),
    refused: 'doctor FILE --fix',
    then: { order: 'sort' },
  },
  file(
    'price, time and volume with row names of R',
    '"time" "price" "volume"',
    ({ us, price, size }, i) => `"${i + 1}" "${iso(us)}" ${price} ${size}`,
  ),
  file('row names of R between commas', '"price","time","volume"', ({ us, price, size }, i) => `"${i + 1}",${price},${ms(us)},${size}`),
  {
    name: 'a table of psql',
    write: (ticks) =>
      `           ts            |  price   \n-------------------------+----------\n${table('', ' {plain} | {price}')(ticks)}(${ticks.length} rows)\n\n`,
  },
];
