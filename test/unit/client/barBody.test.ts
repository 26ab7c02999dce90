import { expect } from 'chai';
import { buildBarBody, TickmarkClient, type Bar, type Ohlcv } from '../../../clients/typescript/src/index.ts';
import { BarBuffer } from '../../../clients/typescript/src/live/BarBuffer.ts';

const T0 = Date.UTC(2024, 0, 2, 9, 30);
const OHLCV = [0, 1, 2].map((i): Ohlcv => [T0 + 60_000 * i, 100 + i, 101 + i, 99.5 + i, 100.5 + i, 7]);
const BODY = {
  Timestamp: ['2024-01-02 09:30:00.000', '2024-01-02 09:31:00.000', '2024-01-02 09:32:00.000'],
  Open: [100, 101, 102],
  High: [101, 102, 103],
  Low: [99.5, 100.5, 101.5],
  Close: [100.5, 101.5, 102.5],
};

describe('the body of a forecast, from bars', () => {
  it('takes lists of ccxt, and objects with or without a range', () => {
    expect(buildBarBody(OHLCV)).to.deep.equal(BODY);
    const bars = OHLCV.map(([timeMs, open, high, low, close]) => ({ timeMs, open, high, low, close }));
    expect(buildBarBody(bars)).to.deep.equal(BODY);
    expect(buildBarBody(bars.map(({ timeMs, close }) => ({ timeUs: timeMs * 1000, close })))).to.deep.equal({
      Timestamp: BODY.Timestamp,
      Close: BODY.Close,
    });
  });

  it('ends with the future time and 0 as each price, if it has one', () => {
    const body = buildBarBody(OHLCV, { timeMs: T0 + 600_000 });
    expect(body.Timestamp.at(-1)).to.equal('2024-01-02 09:40:00.000');
    for (const name of ['Open', 'High', 'Low', 'Close'] as const) expect(body[name]?.at(-1)).to.equal(0);
  });

  it('has the last 3000 bars, and names a bad one by its place among all', () => {
    const many = Array.from({ length: 3100 }, (_, i): Bar => ({ timeMs: T0 + 60_000 * i, close: 100 }));
    expect(buildBarBody(many).Close).to.have.lengthOf(3000);
    many[3050] = { timeMs: T0 + 60_000 * 3050, close: -1 };
    expect(() => buildBarBody(many)).to.throw(RangeError, 'bar 3050: close must be above 0 and below 1e12; it is -1');
  });

  it('refuses bars out of order, some with a range and some without, seconds, and none', () => {
    for (const [bars, said] of [
      [[OHLCV[1], OHLCV[0]], 'bar 1: time must be later than that of the bar before it (2024-01-02 09:31:00.000)'],
      [[OHLCV[0], { timeMs: T0 + 60_000, close: 1 }], 'bar 1: open must be there, with high and low, in all bars or in none'],
      [[{ timeMs: T0 / 1000, close: 1 }], 'bar 0: time must be milliseconds (13 digits) since 1970, up to 2199, and may be seconds'],
      [[], 'there are no bars'],
    ] as const)
      expect(() => buildBarBody(bars), said).to.throw(RangeError, said);
  });

  it('is made by forecastHorizons, whose horizons may be numbers of bars', async () => {
    const sent: { url: string; body: unknown }[] = [];
    const client = new TickmarkClient({
      apiKey: 'k',
      fetch: async (url, init) => {
        sent.push({ url: String(url as string), body: JSON.parse(init?.body as string) });
        return Response.json({ forecasts: [{ horizon: '3bars', status: 'none', trend_identified: null }] });
      },
    });
    const { forecasts } = await client.forecastHorizons(OHLCV, { horizonBars: [3], barTime: 'open' });
    expect(forecasts[0]?.horizon).to.equal('3bars');
    expect(sent).to.deep.equal([{ url: 'http://127.0.0.1:8080/auth/ti-tick?horizon_bars=3&bar_time=open', body: BODY }]);
    for (const options of [{}, { horizons: ['5m'], horizonBars: [3] }]) {
      const error: unknown = await client.forecastHorizons(OHLCV, { ...options, barTime: 'open' }).catch((thrown: unknown) => thrown);
      expect((error as Error).message).to.include('name horizons, such as ["5m"], or of bars horizonBars, such as [3]');
    }
  });
});

describe('the bars of a live series', () => {
  it('are each sent once, and again after the connection was lost', () => {
    const buffer = new BarBuffer(2);
    buffer.push(OHLCV.slice(0, 2));
    expect(buffer.take(3000).Close).to.deep.equal([100.5, 101.5]);
    buffer.push(OHLCV);
    expect(buffer.unsent).to.equal(1);
    expect(buffer.take(3000)).to.deep.equal(Object.fromEntries(Object.entries(BODY).map(([name, values]) => [name, values.slice(2)])));
    buffer.rewind();
    expect([buffer.unsent, buffer.take(3000).Close]).to.deep.equal([3, [100.5, 101.5, 102.5]]);
    // More than are kept, without a connection.
    buffer.rewind();
    buffer.push(Array.from({ length: 5 }, (_, i): Bar => ({ timeMs: T0 + 60_000 * (3 + i), open: 1, high: 1, low: 1, close: 1 })));
    expect(buffer.unsent).to.equal(8);
  });
});
