import { expect } from 'chai';
import type { ServiceError } from '../../../../src/core/ServiceError.ts';
import type { BarWindow } from '../../../../src/ticks/BarWindow.ts';
import type { ImportOptions, ImportReport } from '../../../../src/ticks/import/ImportReport.ts';
import { importTicks } from '../../../../src/ticks/import/importTicks.ts';
import { formatTimestamp } from '../../../../src/ticks/timestamps.ts';
import { sessionBars, type SessionBar } from '../../../support/sessionBars.ts';

type Read = { report: ImportReport; timesUs: number[]; closes: number[]; ranges: Record<keyof NonNullable<BarWindow['ranges']>, number[]> };

async function read(text: string, options: Partial<ImportOptions> = {}): Promise<Read> {
  const got: Omit<Read, 'report'> = { timesUs: [], closes: [], ranges: { open: [], high: [], low: [] } };
  const sink = {
    add: (timesUs: Float64Array) => void got.timesUs.push(...timesUs),
    addBars: (_ends: Float64Array, closes: Float64Array, ranges: BarWindow['ranges']) => {
      got.closes.push(...closes);
      for (const name of ['open', 'high', 'low'] as const) got.ranges[name].push(...(ranges?.[name] ?? []));
    },
  };
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield new TextEncoder().encode(text);
  }
  return { report: await importTicks(chunks(), sink, { name: 'bars.csv', nowMs: Date.UTC(2026, 10, 1), ...options }), ...got };
}

const MINUTE_US = 60e6;
const BARS = sessionBars({ days: 1, hours: 4 });
const table = (header: string, row: (bar: SessionBar) => string, bars = BARS): string => `${header}\n${bars.map(row).join('\n')}\n`;
const ohlc = ({ open, high, low, close }: SessionBar): string => `${open},${high},${low},${close}`;
const started = (header = 'date,open,high,low,close,volume', bars = BARS): string =>
  table(header, (bar) => `${formatTimestamp(bar.startUs)},${ohlc(bar)},5`, bars);
const codes = ({ report }: Read): string[] => report.notes.map(({ code }) => code).filter((code) => code.startsWith('bars.'));
const ends = BARS.map(({ startUs }) => startUs + MINUTE_US);

describe('files of bars', () => {
  it('keep open, high and low next to the closes, also from newest to oldest', async () => {
    const [header, ...rows] = started().trim().split('\n');
    for (const text of [started(), `${header}\n${rows.toReversed().join('\n')}\n`]) {
      const { timesUs, closes, ranges, report } = await read(text);
      expect(timesUs).to.deep.equal(ends);
      expect(closes).to.deep.equal(BARS.map(({ close }) => close));
      for (const name of ['open', 'high', 'low'] as const) expect(ranges[name]).to.deep.equal(BARS.map((bar) => bar[name]));
      expect(report.plan.join('\n')).to.include('open, high, low: "open", "high", "low"');
    }
  });

  it('are read by the beginnings unless something says what their timestamps are, and that is reported', async () => {
    const unknown = await read(started());
    expect([unknown.report.bars, codes(unknown)]).to.deep.equal([
      { periodUs: MINUTE_US, barTime: null },
      ['bars.close', 'bars.time_unknown'],
    ]);
    const named = await read(started(), { barTime: 'close' });
    expect([named.timesUs[0], named.report.bars?.barTime, codes(named)]).to.deep.equal([BARS[0].startUs, 'close', ['bars.close']]);
  });

  it('say it by the name of the column', async () => {
    for (const [name, barTime] of [
      ['open_time', 'open'],
      ['Bar Start', 'open'],
      ['candle_begin_time', 'open'],
      ['close_time', 'close'],
      ['bar_end', 'close'],
    ] as const) {
      const found = await read(started(`${name},open,high,low,close,volume`));
      expect([name, found.report.bars?.barTime, codes(found)]).to.deep.equal([name, barTime, ['bars.close']]);
      expect(found.timesUs[0]).to.equal(BARS[0].startUs + (barTime === 'open' ? MINUTE_US : 0));
    }
  });

  it('are bars with a close alone, next to the beginning or the end of a bar', async () => {
    for (const [name, afterUs] of [
      ['bar_end', 0],
      ['open_time', MINUTE_US],
    ] as const) {
      const found = await read(table(`${name},close`, ({ startUs, close }) => `${formatTimestamp(startUs)},${close}`));
      expect([found.report.kind, found.ranges.open, found.closes[3]]).to.deep.equal(['bars', [], BARS[3].close]);
      expect(found.timesUs[3]).to.equal(BARS[3].startUs + afterUs);
    }
  });

  it('are bars with a close alone at even times, and trades at others', async () => {
    for (const [name, stepUs, kind] of [
      ['close', MINUTE_US, 'bars'],
      ['close', 10_000_000, 'bars'],
      ['close', 1_000_000, 'trades'],
      ['close', MINUTE_US + 1000, 'trades'],
      ['price', MINUTE_US, 'trades'],
    ] as const) {
      const rows = BARS.map(({ close }, i) => `${formatTimestamp(BARS[0].startUs + i * stepUs)},${close}`);
      const found = await read([`date,${name}`, ...rows, ''].join('\n'));
      expect([name, stepUs, found.report.kind]).to.deep.equal([name, stepUs, kind]);
    }
  });

  it('name open, high and low with --columns', async () => {
    const text = table('when,a,b,c,d', (bar) => `${formatTimestamp(bar.startUs)},${ohlc(bar)}`);
    const { ranges, closes } = await read(text, { columns: { time: 'when', open: 'a', high: 'b', low: 'c', close: 'd' } });
    expect([ranges.low[7], closes[7]]).to.deep.equal([BARS[7].low, BARS[7].close]);
  });

  it('refuse a bar whose high is not its highest price, but for rounding', async () => {
    const broken = (high: number): string =>
      started(
        undefined,
        BARS.map((bar, i) => (i === 5 ? { ...bar, open: 101, low: 90, close: 100, high } : bar)),
      );
    const fault = await read(broken(100.9)).then(
      () => undefined,
      (error: unknown) => error as ServiceError,
    );
    expect(fault?.message).to.include('line 7').and.to.include('high 100.9');
    expect((await read(broken(101 - 1e-8))).ranges.high[5]).to.equal(101);
  });

  const later = BARS.slice(0, 20).map((bar) => ({ ...bar, startUs: bar.startUs + 8 * 3600e6 }));
  for (const [what, bars, columns, expected] of [
    ['bars of two lengths', [...sessionBars({ days: 1, periodS: 300 }), ...later], 'open,high,low,close', /^The bars last 300 s, and 18 of them lie no whole number of bars after the one before, the first ends at 2024-01-08 16:01:00.000 UTC/],
    ['an open in the column of closes', BARS, 'close,high,low,open', /^Open and close look swapped: from a close to the next open the price moves \d+\.\d times as much/],
    ['missing bars, and a pause', BARS.filter((_, i) => i < 120 ? i % 50 !== 3 : i > 200), 'open,high,low,close', null],
    ['a last bar that has not ended', [...BARS.slice(0, 120), { ...BARS[120], startUs: BARS[120].startUs - 20e6 }], 'open,high,low,close', null],
  ] as const)
    it(`${expected === null ? 'find nothing wrong with' : 'find'} ${what}`, async () => {
      const { report } = await read(started(`bar_end,${columns},volume`, [...bars]));
      const found = report.notes.filter(({ code }) => code === 'bars.uneven' || code === 'bars.swapped');
      expect(found.length).to.equal(expected === null ? 0 : 1);
      if (expected !== null) expect(found[0].text).to.match(expected);
    }); // prettier-ignore

  it('are read below the two lines of names of yfinance, for one market', async () => {
    const rows = started().trim().split('\n').slice(1);
    const text = (markets: string): string => `Price,Open,High,Low,Close,Volume\nTicker,${markets}\nDatetime,,,,,\n${rows.join('\n')}\n`;
    const { closes, report } = await read(text('EURUSD=X,EURUSD=X,EURUSD=X,EURUSD=X,EURUSD=X'));
    expect(closes).to.deep.equal(BARS.map(({ close }) => close));
    expect(report.plan.join('\n')).to.include('time: "Datetime"');
    const fault = await read(text('A,A,A,A,B')).then(
      () => undefined,
      (error: unknown) => error as ServiceError,
    );
    expect(fault?.message).to.include('the header names several markets (A, B)');
  });

  it('report timestamps that look like the other ones, with the evidence', async () => {
    const text = started(undefined, sessionBars({ days: 6 }));
    const wrong = (await read(text, { barTime: 'close' })).report.notes.find(({ code }) => code === 'bars.time_doubtful');
    expect(wrong?.severity).to.equal('warning');
    expect(wrong?.text).to.include('They look like the beginnings: 5 of 5 sessions begin one bar before a full or half hour');
    expect(wrong?.advice.at(-1)?.text).to.equal('Then say it: --bar-time open.');
    expect(codes(await read(text, { barTime: 'open' }))).to.deep.equal(['bars.close']);
    const unknown = (await read(text)).report.notes.find(({ code }) => code === 'bars.time_unknown');
    expect(unknown?.text).to.include('They look like the beginnings: 5 of 5 sessions begin at a full or half hour');
  });
});
