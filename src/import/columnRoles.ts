/** What a column holds, as far as ticks need it. */
export type ColumnRole = 'stamp' | 'date' | 'time' | 'bid' | 'ask' | 'price' | 'open' | 'high' | 'low' | 'close';

/** Names in small letters without blanks and signs, the likeliest first where a file may have several of one role. */
const NAMES: Readonly<Record<ColumnRole, readonly string[]>> = {
  stamp: [
    ...['timestamp', 'datetime', 'gmttime', 'utctime', 'timeutc', 'localtime', 'transacttime', 'transactiontime', 'tradetime', 'eventtime'],
    ...['opentime', 'ts', 'tstamp', 'unixtime', 'unix', 'epoch', 'timestampms', 'timestampus', 'timestampns', 'timems', 'dateandtime'],
    ...['datetimeutc', 'dategmt', 'exchangetimestamp', 'tsevent', 'createdat', 'localtimestamp'],
  ],
  date: ['date', 'day', 'dtyyyymmdd', 'tradedate'],
  time: ['time', 'timeofday', 't'],
  bid: ['bid', 'bidprice', 'bestbid', 'bestbidprice', 'bidpx', 'bidp', 'bp', 'bidpx00', 'bids0price', 'b', 'buyprice'],
  ask: ['ask', 'askprice', 'bestask', 'bestaskprice', 'askpx', 'askp', 'ap', 'askpx00', 'asks0price', 'offer', 'ofr', 'a', 'sellprice'],
  price: ['price', 'last', 'lastprice', 'tradeprice', 'px', 'mid', 'midprice', 'p', 'rate', 'value'],
  open: ['open', 'o', 'openprice'],
  high: ['high', 'h', 'highprice'],
  low: ['low', 'l', 'lowprice'],
  close: ['close', 'c', 'closeprice', 'adjclose'],
};

/** `<BID>`, `Bid Price`, `bid_price` and `bidPrice` are one name. */
export function columnName(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]/g, '');
}

/** Columns that may hold each role, the likeliest first. */
export function columnsOf(role: ColumnRole, names: readonly string[]): number[] {
  return NAMES[role].flatMap((name) => names.flatMap((found, column) => (found === name ? [column] : [])));
}

const TICK_NAMES: ReadonlySet<string> = new Set(Object.values(NAMES).flat());

/** Whether a column of this name may be of use. */
export function isTickColumn(name: string): boolean {
  return TICK_NAMES.has(name);
}
