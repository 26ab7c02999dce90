import { expect } from 'chai';
import type { BarTime } from '../../../src/core/barTime.ts';
import { seededRandom } from '../../../src/core/Random.ts';
import { type FieldProblem, ServiceError } from '../../../src/core/ServiceError.ts';
import { type BarLists, parseBarRequest, parseNextBars, parseObservedBars } from '../../../src/ticks/parseBarRequest.ts';
import { formatTimestamp, parseTimestampUs } from '../../../src/ticks/timestamps.ts';
import { barBody, type BarBody, stampedAtOpen } from '../../support/barBodies.ts';

const body = (): BarBody => barBody(seededRandom(1), { count: 300, hasVolume: true });
const later = (stamp: string, seconds: number): string => formatTimestamp(parseTimestampUs(stamp) + seconds * 1_000_000);

function problemsOf(parse: () => unknown): readonly FieldProblem[] {
  try {
    parse();
  } catch (error) {
    expect(error).to.be.instanceOf(ServiceError);
    expect((error as ServiceError).code).to.equal('request.invalid');
    return (error as ServiceError).errors;
  }
  return [];
}
const found = (parse: () => unknown): unknown[] => problemsOf(parse).map(({ pointer, code }) => [pointer, code]);

type Case = [what: string, change: (body: BarBody) => unknown, pointer: string, code: string, ...mentions: string[]];

describe('parseBarRequest', () => {
  it('places closes at the ends of bars, with their ranges and the measured period', () => {
    const lists = body();
    const { series, futureUs, bars } = parseBarRequest(lists, 'close');
    expect([...series.timesUs]).to.deep.equal(lists.Timestamp.slice(0, -1).map(parseTimestampUs));
    expect([...series.prices]).to.deep.equal(lists.Close.slice(0, -1));
    expect(futureUs).to.equal(parseTimestampUs(lists.Timestamp.at(-1)!));
    expect(bars?.periodMs).to.equal(60_000);
    expect([...bars!.ranges!.high]).to.deep.equal(lists.High!.slice(0, -1));
    expect([...bars!.ranges!.low]).to.deep.equal(lists.Low!.slice(0, -1));
    expect([...bars!.ranges!.open]).to.deep.equal(lists.Open!.slice(0, -1));
  });

  it('reads bars of some minutes with a break that is no whole number of them, also one by one', () => {
    // 10:30, 11:30, 14:00 and 15:00 of each day, and the next one in the morning.
    const minutes = (k: number): number => 1440 * Math.floor(k / 4) + [630, 690, 840, 900][k % 4];
    const Timestamp = Array.from({ length: 240 }, (_, k) => formatTimestamp(Date.UTC(2024, 0, 2) * 1000 + minutes(k) * 60e6));
    const Close = Timestamp.map((_, k) => 10 + (k % 7) / 100);
    const { series, bars } = parseObservedBars({ Timestamp, Close }, 'close');
    expect([bars.periodMs, series.prices.length]).to.deep.equal([3_600_000, 240]);
    for (let k = 1; k < 12; k++) {
      const lists = { Timestamp: [Timestamp[k]], Close: [Close[k]] };
      const known = { periodMs: 3_600_000, lastUs: parseTimestampUs(Timestamp[k - 1]) };
      expect(parseNextBars(lists, 'close', known).series.timesUs).to.deep.equal(Float64Array.of(parseTimestampUs(Timestamp[k])));
    }
    const early = { Timestamp: Timestamp.with(9, later(Timestamp[8], 1800)), Close };
    expect(found(() => parseObservedBars(early, 'close'))).to.deep.equal([['/Timestamp/9', 'bars.no_period']]);
    const odd = { Timestamp: Timestamp.with(9, later(Timestamp[8], 3630)), Close };
    expect(found(() => parseObservedBars(odd, 'close'))).to.deep.equal([['/Timestamp/9', 'bars.no_period']]);
  });

  it('says of seconds and nanoseconds what they look like, and names a missing bar_time next to them', () => {
    const lists = (unit: number): BarLists => ({ Timestamp: Array.from({ length: 299 }, (_, k) => (1_704_153_600 + 60 * k) * unit), Close: body().Close.slice(0, 299) }); // prettier-ignore
    const details = (unit: number, barTime?: BarTime): string => problemsOf(() => parseObservedBars(lists(unit), barTime)).map(({ detail }) => detail).join('|'); // prettier-ignore
    expect(details(1, 'open')).to.include('It may be seconds: send whole milliseconds');
    expect(details(1e9, 'open')).to.include('It may be nanoseconds');
    expect(details(1)).to.match(/^bar_time is required.+seconds/);
    expect(details(1000, 'open')).to.equal('');
  });

  it('reads closes alone as bars without ranges', () => {
    const { Timestamp, Close } = body();
    expect(parseBarRequest({ Timestamp, Close }, 'close').bars).to.deep.equal({ periodMs: 60_000, barTime: 'close', ranges: undefined });
  });

  for (const periodS of [1, 10, 60, 300, 86_400]) {
    it(`reads beginnings one period of ${periodS} s before the ends, and leaves the future timestamp as it is`, () => {
      const random = seededRandom(periodS);
      const byEnd = barBody(random, { count: 260, periodS, missing: 0.1 });
      const byOpen = stampedAtOpen(byEnd, periodS);
      const placed = parseBarRequest(byEnd, 'close');
      expect(parseBarRequest(byOpen, 'open')).to.deep.equal({ ...placed, bars: { ...placed.bars, barTime: 'open' } });
      expect(parseBarRequest(byEnd, 'close').bars?.periodMs).to.equal(1000 * periodS);
      // The wrong answer is one bar of the future.
      expect(parseBarRequest(byOpen, 'close').series.timesUs[9] - parseBarRequest(byEnd, 'close').series.timesUs[9]).to.equal(
        -1e6 * periodS,
      );
    });
  }

  it('accepts gaps of whole periods, as many as half of the bars', () => {
    const lists = barBody(seededRandom(3), { count: 400, missing: 0.4 });
    expect(parseBarRequest(lists, 'close').bars?.periodMs).to.equal(60_000);
  });

  it('places an unfinished last bar at its own timestamp with bar_time=close, and refuses it with open', () => {
    const lists = body();
    lists.Timestamp[298] = later(lists.Timestamp[297], 22.5);
    const { series, bars } = parseBarRequest(lists, 'close');
    expect(series.timesUs[298] - series.timesUs[297]).to.equal(22_500_000);
    expect(bars?.periodMs).to.equal(60_000);
    expect(found(() => parseBarRequest(lists, 'open'))).to.deep.equal([['/Timestamp/298', 'bars.no_period']]);
  });

  it('requires a future timestamp after the end of the last bar, which is no stamp of a bar itself', () => {
    for (const [barTime, ahead] of [
      ['close', 0],
      ['open', 60],
      ['open', 59.999],
    ] as [BarTime, number][]) {
      const lists = body();
      lists.Timestamp[299] = later(lists.Timestamp[298], ahead);
      const [problem] = problemsOf(() => parseBarRequest(lists, barTime));
      expect([problem?.pointer, problem?.code]).to.deep.equal(['/Timestamp/299', 'timestamp.future_not_later']);
      lists.Timestamp[299] = later(lists.Timestamp[298], ahead + 0.001);
      if (ahead !== 59.999) expect(found(() => parseBarRequest(lists, barTime))).to.deep.equal([]);
    }
  });

  it('requires bar_time, and says what each value means and why none is assumed', () => {
    const [problem] = problemsOf(() => parseBarRequest(body(), undefined));
    expect([problem?.pointer, problem?.code]).to.deep.equal(['?bar_time', 'bar_time.required']);
    for (const mention of ['open: timestamps are the beginnings', 'close: their ends', 'the future'])
      expect(problem?.detail).to.include(mention);
  });

  it('moves a bound that misses a price by rounding alone', () => {
    const lists = body();
    lists.Open![7] = lists.High![7] = 1.2345;
    lists.Close[7] = lists.Low![7] = 1.2344;
    lists.High![7] = 1.2345 - 2e-16;
    lists.Low![7] = 1.2344 + 2e-16;
    const { ranges } = parseBarRequest(lists, 'close').bars!;
    expect([ranges?.high[7], ranges?.low[7]]).to.deep.equal([1.2345, 1.2344]);
  });

  const cases: Case[] = [
    ['199 entries', (b) => Object.values(b).forEach((list) => list.splice(199)), '/Timestamp', 'ticks.too_few', '199'],
    ['one High less', (b) => b.High!.pop(), '/High', 'ticks.lengths_differ', '299', '300'],
    ['one Volume more', (b) => b.Volume!.push(1), '/Volume', 'ticks.lengths_differ', '301'],
    ['High alone', (b) => [delete b.Open, delete b.Low], '/Open', 'field.missing', 'Open is required'],
    ['no Low', (b) => delete b.Low, '/Low', 'field.missing', 'Low is required'],
    ['a Close of 0', (b) => (b.Close[12] = 0), '/Close/12', 'price.not_positive', 'Close[12] is 0'],
    ['a High below Low', (b) => (b.High![12] = b.Low![12] - 1), '/High/12', 'bars.range_broken', 'High[12] is', 'low <= open'],
    ['a High below Close', (b) => (b.Close[12] = b.High![12] + 0.01), '/High/12', 'bars.range_broken', 'below Close[12]'],
    ['a High below Open', (b) => (b.Open![12] = b.High![12] + 0.01), '/High/12', 'bars.range_broken', 'below Open[12]'],
    ['a Low above Close', (b) => (b.Close[12] = b.Low![12] - 0.01), '/Low/12', 'bars.range_broken', 'above Close[12]'],
    ['a Low above Open', (b) => (b.Open![12] = b.Low![12] - 0.01), '/Low/12', 'bars.range_broken', 'above Open[12]'],
    ['equal timestamps', (b) => (b.Timestamp[12] = b.Timestamp[11]), '/Timestamp/12', 'timestamp.not_increasing', 'Timestamp[11]'],
    ['a step back', (b) => (b.Timestamp[12] = later(b.Timestamp[11], -60)), '/Timestamp/12', 'timestamp.not_increasing'],
    ['no timestamp', (b) => (b.Timestamp[12] = 'now'), '/Timestamp/12', 'timestamp.malformed', '"now"'],
    ['a bar off the grid', (b) => (b.Timestamp[12] = later(b.Timestamp[11], 61)), '/Timestamp/12', 'bars.no_period', '61 s', '60 s'],
    ['a last Close that is not 0', (b) => (b.Close[299] = 101), '/Close/299', 'price.future_not_zero', '101'],
    ['a last Low that is not 0', (b) => (b.Low![299] = 99), '/Low/299', 'price.future_not_zero', '99'],
  ];
  for (const [what, change, pointer, code, ...mentions] of cases) {
    it(`refuses ${what}`, () => {
      const lists = body();
      change(lists);
      const [problem] = problemsOf(() => parseBarRequest(lists, 'close'));
      expect([problem?.pointer, problem?.code]).to.deep.equal([pointer, code]);
      for (const mention of mentions) expect(problem?.detail).to.include(mention);
      expect(problem?.hint).to.not.equal('');
    });
  }

  for (const [periodS, isAccepted] of [
    [0.5, false],
    [0.999, false],
    [1, true],
    [86_400, true],
    [86_401, false],
    [604_800, false],
  ] as const) {
    it(`${isAccepted ? 'accepts' : 'refuses'} bars of ${periodS} s`, () => {
      const lists = barBody(seededRandom(4), { count: 220, periodS });
      const [problem] = problemsOf(() => parseBarRequest(lists, 'close'));
      expect(problem?.code).to.equal(isAccepted ? undefined : 'bars.period_out_of_range');
      if (!isAccepted) expect(problem?.detail).to.include(`${periodS} s`).and.to.include('from 1 s to 86400 s');
    });
  }

  it('refuses a last bar that ends after the supported years', () => {
    const lists = barBody(seededRandom(4), { count: 220, startUs: Date.UTC(2199, 11, 31, 20, 21) * 1000, ahead: 0.5 });
    expect(found(() => parseObservedBars(withoutFuture(lists), 'close'))).to.deep.equal([]);
    expect(found(() => parseObservedBars(withoutFuture(lists), 'open'))).to.deep.equal([['/Timestamp/218', 'timestamp.out_of_range']]);
  });

  it('refuses ticks that are sent as bars: irregular timestamps have no period', () => {
    const random = seededRandom(8);
    const lists = body();
    let at = lists.Timestamp[0];
    lists.Timestamp = lists.Timestamp.map(() => (at = later(at, 1 + Math.floor(1e6 * random.uniform()) / 1e3)));
    expect(problemsOf(() => parseBarRequest(lists, 'close'))[0]?.code).to.equal('bars.no_period');
  });
});

const withoutFuture = (lists: BarBody): BarLists =>
  Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, list.slice(0, -1)])) as unknown as BarLists;

describe('parseObservedBars', () => {
  it('reads the same bars without the future entry, and refuses one with it', () => {
    const { series, bars } = parseBarRequest(body(), 'close');
    expect(parseObservedBars(withoutFuture(body()), 'close')).to.deep.equal({ series, bars });
    expect(found(() => parseObservedBars(body(), 'close'))).to.deep.equal([['/Close/299', 'price.not_positive']]);
    expect(found(() => parseObservedBars(withoutFuture(body()), undefined))).to.deep.equal([['?bar_time', 'bar_time.required']]);
  });
});

describe('parseNextBars', () => {
  const part = (from: number, to: number): BarLists =>
    Object.fromEntries(Object.entries(body()).map(([name, list]) => [name, list.slice(from, to)])) as unknown as BarLists;

  for (const barTime of ['open', 'close'] as const) {
    it(`reads the bars of a request in parts, with bar_time=${barTime}`, () => {
      const whole = parseObservedBars(part(0, 299), barTime);
      const read = [];
      let known: { periodMs?: number; lastUs?: number } = {};
      for (const [from, to] of [[0, 5], [5, 6], [6, 100], [100, 299]] as const) {
        const { series, bars } = parseNextBars(part(from, to), barTime, known);
        read.push(...series.timesUs);
        known = { periodMs: bars.periodMs, lastUs: series.timesUs.at(-1)! };
      }
      expect(read).to.deep.equal([...whole.series.timesUs]);
    }); // prettier-ignore
  }

  it('refuses bars that were sent, an unfinished bar, another period, and a single bar without a known one', () => {
    const lastUs = parseTimestampUs(body().Timestamp[9]);
    const known = { periodMs: 60_000, lastUs };
    expect(found(() => parseNextBars(part(10, 12), 'close', known))).to.deep.equal([]);
    // A gap.
    expect(found(() => parseNextBars(part(14, 16), 'close', known))).to.deep.equal([]);
    expect(found(() => parseNextBars(part(9, 12), 'close', known))).to.deep.equal([['/Timestamp/0', 'timestamp.not_increasing']]);
    const unfinished = { ...part(10, 12), Timestamp: [body().Timestamp[10], later(body().Timestamp[10], 30)] };
    expect(found(() => parseNextBars(unfinished, 'close', known))).to.deep.equal([['/Timestamp/1', 'bars.no_period']]);
    const alone = { ...part(10, 11), Timestamp: [later(body().Timestamp[9], 30)] };
    expect(found(() => parseNextBars(alone, 'close', known))).to.deep.equal([['/Timestamp/0', 'bars.no_period']]);
    expect(found(() => parseNextBars(part(10, 11), 'close', {}))).to.deep.equal([['/Timestamp', 'bars.no_period']]);
    expect(
      found(() => parseNextBars({ ...part(8, 12), Timestamp: [...body().Timestamp.slice(8, 11), unfinished.Timestamp[1]] }, 'close', {})),
    ).to.deep.equal([['/Timestamp/3', 'bars.no_period']]);
    expect(found(() => parseNextBars({ ...part(10, 12), Close: [1] }, 'close', known))).to.deep.equal([['/Close', 'ticks.lengths_differ']]);
  });
});
