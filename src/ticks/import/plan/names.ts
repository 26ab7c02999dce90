/** What a column holds, as far as ticks need it. */
export type ColumnRole = 'stamp' | 'date' | 'time' | 'bid' | 'ask' | 'price' | 'open' | 'high' | 'low' | 'close' | 'bidclose' | 'askclose';

const words = (...lines: string[]): readonly string[] => lines.join(' ').split(' ');

/** Names in small letters without blanks and signs, the likeliest first where a file may have several of one role. */
const NAMES: Readonly<Record<ColumnRole, readonly string[]>> = {
  stamp: words(
    'tradetimestamp ratedatetime timestamp datetime gmttime utctime timeutc localtime transacttime transactiontime tradetime',
    'eventtime opentime barstart barend ts dt tstamp unixtime unix epoch timestampms timestampus timestampns timems dateandtime',
    'datetimeutc dategmt exchangetimestamp tsevent participanttimestamp createdat localtimestamp capitalt execdate exectime',
    'timemsc mts createdtime sourcetime siptimestamp indexlevel0 tsrecv tsinit',
  ),
  date: words('date day dtyyyymmdd yyyymmdd tradedate actionday tradingday datum fecha data datanegocio 成交日期 日期'),
  time: words('time timeofday tod tm hms hhmmss hhmmssfff t updatetime timem uhrzeit zeit hora heure clock 成交时间 成交時間 时间'),
  bid: words('bid bidprice bestbid ratebid bestbidprice pricebid bidpx bidp bp bidpx00 bids0price b buyprice geld geldkurs'),
  ask: words(
    'ask askprice bestask rateask bestaskprice priceask askpx askp ap askpx00 asks0price offer ofr a sellprice brief briefkurs',
    'offerprice bestoffer bestofferprice',
  ),
  price: words(
    'price last lastprice pxlast tradeprice px execprice executionprice mid midprice p rate value kurs preis precio preco',
    'preconegocio prix prezzo 成交价格 成交價格 成交价 价格 價格 цена',
  ),
  open: words('open o openprice pxopen startprice first'),
  high: words('high h highprice hi pxhigh maxprice max'),
  low: words('low l lowprice lo pxlow minprice min'),
  close: words('close c closeprice endprice'),
  bidclose: words('bidclose closebid bidc bidcloseprice'),
  askclose: words('askclose closeask askc askcloseprice'),
};

/** Columns whose second value is another market, and columns whose values are kinds of rows. */
const SYMBOLS =
  /^(?:(?:sym|symbol|ticker|instrument|contract|product|asset|coin|pair|market|security|currencypair|underlying)(?:id|name|code|root)?|name|ric|isin|figi|instid|secid|sec|code|s|to?symbol|tsym|codigoinstrumento|paper|expiry|expiration|expirydate|maturity|contractmonth|deliverymonth|strike|right|optiontype|symsuffix|symroot|root|合约|代码|商品代號|到期月份.*)$/;
const EVENTS =
  /^(?:action|event|ev|evt|eventtype|evttype|type|tradetype|msgtype|messagetype|rectype|recordtype|rtype|ticktype|trdtype|field|updatetype|quotetype|datatype|entrytype|mdentrytype|rowtype|kind|acaoatualizacao|correction|corr|tradecorrectionindicator|trcorr|cancell?edtradeconditionid|(?:is)?(?:cancel(?:led)?|deleted|busted|voided|invalid)|e)$/;

/** Kinds of rows that are all trades. */
const HARMLESS =
  /^(?:|b|s|buy|sell|buyer|seller|bid|ask|long|short|m|l|market|limit|mkt|lmt|fill|match|last_match|taker|maker|ioc|fok|gtc|trade|t|\d*regular)$/i;

export const isSymbolName = (name: string): boolean => SYMBOLS.test(name);
export const isEventName = (name: string): boolean => EVENTS.test(name);
export const isHarmless = (value: string): boolean => HARMLESS.test(value);
/** What is done to orders, as opposed to trades: without a header, a word of these tells that a column holds kinds of rows. */
export const isOrderEvent = (value: string): boolean =>
  /^(?:add|new|insert|cancel|delete|remove|modify|amend|change|update|replace|snapshot|settle(?:ment)?|open_?int(?:erest)?|(?:bid|ask)_?update|quote|prev_?close)$/i.test(
    value,
  );
/** Trades next to quotes or orders, in words or by the letters of feeds. Letters of exchanges are others, or not all of these. */
export const areKindsOfRows = (values: readonly string[]): boolean =>
  values.some((value) => TRADE_WORD.test(value)) &&
  values.some((value) => ORDER_WORD.test(value)) &&
  values.every((value) => TRADE_WORD.test(value) || ORDER_WORD.test(value));
const TRADE_WORD = /^(?:t|trades?|f|fill|e|x|exec(?:ut(?:ion|ed))?|match|last|print|deal)$/i;
const ORDER_WORD =
  /^(?:q|quotes?|n?bbo|bid|ask|b|a|add|new|insert|c|cancel(?:led)?|d|delete|remove|m|modify|amend|change|r|replace|u|update|book|depth|snapshot|mark|index|funding|settle(?:ment)?)$/i;
/** Letters in a column of such a name are exchanges, conditions or sides. */
export const isLetterName = (name: string): boolean =>
  /exch|venue|^ex$|^mic$|market|cond|tape|flag|side|aggress|taker|maker|tick/.test(name);
/** The side of a trade that took it, as opposed to that of a book. Upbit writes ask_bid. */
export const isTakerName = (name: string): boolean => /aggress|taker|maker|trade|tick|^askbid$/.test(name);

/** The number of a level of an order book. */
export const isLevelName = (name: string): boolean => /^(?:book|md|price)?(?:level|lvl|depth|position|rank)(?:no|number|id)?$/.test(name);
/** Two sides of a trade, whose prices differ by the spread. */
export const isSideValue = (value: string): boolean =>
  /^(?:|-?1|0|b|s|a|buy|sell|bid|ask|buyer|seller|true|false|\+|-|n|u|買|賣|买盘|卖盘|中性盘)$/i.test(value);

/** What moves like prices by its name is none: interest, volume, an id. */
export const isNoPriceName = (name: string): boolean =>
  /vol|qty|quant|size|amount|interest|^oi$|funding|count|number|^n$|id$|seq|turnover|value|delta|strike|index|limit|^(?:e|t|u|iv|vix)$|flag|ratio|percent|pct|latency|delay|^(?:hour|minute|second|weekday|dow|month|year)s?$/.test(
    name,
  );

/** Names that say little: the content must show that they are prices. */
export const isWeakPriceName = (name: string): boolean => /^(?:p|rate|value|a|b|c|o|h|l|mid|midprice|bp|ap)$/.test(name);

/** A name for a price, among other things perhaps. */
export const isNamedPrice = (name: string): boolean => PRICE_ROLES.some((role) => NAMES[role].includes(name));

/** A name for a price of the row, and for nothing else. */
export const isPriceName = (name: string): boolean => isNamedPrice(name) && !isWeakPriceName(name) && timeRank(name) === Infinity;
const PRICE_ROLES = ['bid', 'ask', 'price', 'open', 'high', 'low', 'close', 'bidclose', 'askclose'] as const;

/** Prices by their names, and not those of the trades or quotes of the row. */
export const isOtherPriceName = (name: string): boolean =>
  /mark|index|vwap|avg|settle|close|open|high|low|prev|ref|limit|stop|bid|ask|offer|nav|theo|basis|spot|underlying/.test(name);

/** The unit of a column that holds the fraction of a second, by its name. */
export function fractionUnit(name: string): 'ms' | 'us' | 'ns' | undefined {
  if (/^(?:frac(?:tion)?|(?:update|time|trade|tv|ts)?(?:ms|msec|msecs|millis|millisec|millisecs|millisecond|milliseconds))$/.test(name))
    return 'ms';
  if (/^(?:update|time|trade|tv|ts)?(?:us|usec|usecs|micros|microsec|microsecond|microseconds)$/.test(name)) return 'us';
  return /^(?:update|time|trade|tv|ts)?(?:ns|nsec|nanos|nanosec|nanosecond|nanoseconds)$/.test(name) ? 'ns' : undefined;
}

/** `<BID>`, `Bid Price`, `bid_price`, `bidPrice` and `Bid Price (USD)` are one name. Without Latin letters, those of other scripts count. */
export function columnName(text: string): string {
  const bare = text.toLowerCase().replace(/\([^)]*\)|\[[^\]\d][^\]]*\]/g, '');
  return bare.replace(/[^a-z0-9]/g, '') || bare.replace(/[^\p{L}\p{N}]/gu, '');
}

/** What stands in brackets behind a title: a zone or a unit. */
export const bracketed = (title: string): string | undefined => /[([]\s*([^)\]]+?)\s*[)\]]/.exec(title)?.[1];

/** Columns that may hold each role, the likeliest first. */
export function columnsOf(role: ColumnRole, names: readonly string[]): number[] {
  return NAMES[role].flatMap((name) => names.flatMap((found, column) => (found === name ? [column] : [])));
}

/** How surely a name says that a column holds times: 0 is the surest, Infinity says nothing. */
export function timeRank(name: string): number {
  const known = [...NAMES.stamp, ...NAMES.date, ...NAMES.time].indexOf(name);
  if (known >= 0) return known;
  return /time|date|stamp|zeit|datum|fecha|hora|heure|epoch|^when$|^ts|ts$|^(?:hour|minute|second|year|month)s?$|时间|時間|日期|дата|время/.test(
    name,
  )
    ? UNKNOWN_RANK
    : Infinity;
}

/** What a column with the times of bars says of them by its name. */
export function barTimeByName(name: string): 'open' | 'close' | undefined {
  const [, edge] = /^(?:bar|candle|kline|period|interval)?(open|start|begin|close|end)(?:ing)?(?:time|timestamp|ts|at)$/.exec(name) ??
    /^(?:bar|candle|kline|period|interval)(open|start|begin|close|end)$/.exec(name) ?? ['', ''];
  if (edge === '' || edge === undefined) return undefined;
  return edge === 'close' || edge === 'end' ? 'close' : 'open';
}

/** A second time of a row: when it was received or recorded. */
export const isReceiveName = (name: string): boolean => /recv|recei|^local|local$|^tsin$|arriv|ingest|captur|record|insert/.test(name);

/** A date on which something is due that was agreed in the row. */
export const isLaterDate = (name: string): boolean => /settl|expir|matur|deliver|valuedate|duedate/.test(name);

/** Names with a rank below this are known. */
export const UNKNOWN_RANK = 1000;

const TICK_NAMES: ReadonlySet<string> = new Set(Object.values(NAMES).flat());

/** Whether a column of this name may be of use. */
export function isTickColumn(name: string): boolean {
  return TICK_NAMES.has(name) || isSymbolName(name) || isEventName(name);
}
