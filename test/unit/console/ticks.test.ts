import fc from 'fast-check';
import { expect } from 'chai';
import { buildBody, readFuture, scoredFuture } from '../../../src/console/ticks/readFuture.ts';
import { ticksUpTo } from '../../../src/console/ticks/TickSeries.ts';
import { writeTimestamp } from '../../../src/ticks/timestamps.ts';
import { formatSpan, parseTimestamp, zoneChoices } from '../../../src/console/ticks/timeText.ts';
import { nextOrigin, previousOrigin, thinTicks } from '../../../src/console/ticks/stepWindow.ts';
import { TickRing } from '../../../src/console/worker/TickRing.ts';
import { labelOutcome } from '../../../src/console/ticks/labelOutcome.ts';
import { parseBarRequest } from '../../../src/ticks/parseBarRequest.ts';
import { parseTickRequest } from '../../../src/ticks/parseTickRequest.ts';
import { syntheticTicks } from '../../../src/ticks/syntheticTicks.ts';
import { walkBars } from '../../support/walkBars.ts';
import { coveringCount, suitableCount } from '../../../src/console/ticks/suitableCount.ts';
import { usualRate } from '../../../src/console/ticks/usualRate.ts';
import { zoneClock } from '../../../src/ticks/import/DateReader.ts';

const LAST_US = Date.UTC(2024, 0, 2, 9, 33, 18) * 1000;

describe('stamps of the console', () => {
  it('come back as they were, to the microsecond', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: Date.UTC(2199, 11, 31) }), fc.integer({ min: 0, max: 999 }), (ms, us) => {
        expect(parseTimestamp(writeTimestamp(ms * 1000 + us))).to.equal(ms * 1000 + us);
      }),
    );
    expect(parseTimestamp('2024-02-30 00:00:00')).to.equal(null);
  });
});

describe('the future time as it is typed', () => {
  const horizonOf = (text: string): unknown => {
    const future = readFuture(text, LAST_US);
    return 'fault' in future ? future.fault : future.horizonMs;
  };

  for (const [text, ms] of [
    ['90', 90_000],
    ['90s', 90_000],
    ['5 min', 300_000],
    ['1m 30s', 90_000],
    ['1h', 3_600_000],
    ['250 ms', 250],
    ['0.5 s', 500],
    ['2 Days', 172_800_000],
    ['2024-01-02 09:34:18.000', 60_000],
    ['2024-01-02T09:34:18Z', 60_000],
  ] as const)
    it(`reads ${text}`, () => expect(horizonOf(text)).to.equal(ms));

  for (const text of ['', 'soon', '5 parsecs', '-5 s', '0 s', '1m x', '2024-01-02 09:33:18', '2024-13-02 09:33:18'])
    it(`refuses "${text}" with a sentence`, () => expect(horizonOf(text)).to.match(/^[A-Z0-9].*\.$/));
});

describe('the future time after a tick of bars', () => {
  const bars = { timesUs: Float64Array.from({ length: 300 }, (_, i) => LAST_US + i * 60e6) };
  for (const [text, at, horizonMs] of [
    ['2 min', 299, 120_000],
    ['119 s', 299, null],
    ['10s', 250, null],
    [writeTimestamp(bars.timesUs[250] + 60e6), 250, null],
    ['soon', 250, null],
  ] as const)
    it(`is ${horizonMs === null ? 'refused' : 'read'} for ${text}`, () => {
      const future = scoredFuture(text, bars, at);
      if (horizonMs !== null) expect(future).to.deep.equal({ horizonMs });
      else
        expect(future)
          .to.have.property('fault')
          .that.matches(text === 'soon' ? /^Write a length/ : /the shortest horizon is 120 s\.$/);
    });
});

describe('bars in the console', () => {
  const { series, bars } = walkBars({ count: 400 });

  it('are kept with their ranges, in the last ticks of a file too', () => {
    for (const capacity of [1000, 250]) {
      const ring = new TickRing(capacity);
      for (const from of [0, 200]) {
        const cut = (values: Float64Array): Float64Array => values.subarray(from, from + 200);
        const ranges = { open: cut(bars.ranges.open), high: cut(bars.ranges.high), low: cut(bars.ranges.low) };
        ring.addBars(cut(series.timesUs), cut(series.prices), ranges);
        ring.add(cut(series.timesUs), cut(series.prices));
      }
      ring.setBars({ periodMs: 60_000 });
      const kept = ring.toSeries();
      const count = Math.min(capacity, 400);
      expect(kept).to.deep.equal(ticksUpTo({ ...series, bars }, 399, count));
    }
    const closes = new TickRing(1000);
    closes.addBars(series.timesUs, series.prices, undefined);
    closes.add(series.timesUs, series.prices);
    closes.setBars({ periodMs: 60_000 });
    expect(closes.toSeries()).to.deep.equal({ ...series, bars: { periodMs: 60_000 } });
  });

  it('are sent as the service reads them, stamped at their ends', () => {
    const body = buildBody({ series: ticksUpTo({ ...series, bars }, 399, 250), horizonMs: 1_800_000 });
    if (!('Close' in body)) return expect.fail('no closes');
    const read = parseBarRequest({ ...body, Open: body.Open!, High: body.High!, Low: body.Low! }, 'close');
    expect([...read.series.timesUs]).to.deep.equal([...series.timesUs.subarray(150)]);
    expect([...read.bars!.ranges!.high]).to.deep.equal([...bars.ranges.high.subarray(150)]);
    expect([read.bars!.periodMs, read.futureUs]).to.deep.equal([60_000, series.timesUs[399] + 1_800_000_000]);
  });

  it('have horizons in bars, and their outcome from close to close', () => {
    expect(scoredFuture('30 bars', { ...series, bars }, 300)).to.deep.equal({ horizonMs: 1_800_000 });
    expect(scoredFuture('90 s', { ...series, bars }, 300)).to.deep.equal({ horizonMs: 90_000 });
    expect(scoredFuture('30 bars', series, 300)).to.have.property('fault');
    const outcome = labelOutcome({ ...series, bars }, 300, 1_800_000, 60_000);
    expect(outcome).to.deep.include({ status: 'known', entry: 300, exit: 330 });
  });
});

describe('formatSpan', () => {
  for (const [ms, text] of [
    [850, '850 ms'],
    [10_000, '10 s'],
    [90_000, '1 min 30 s'],
    [59_960, '60 s'],
    [401_146, '6 min 41 s'],
    [3_600_000, '1 h'],
    [7_500_000, '2 h 5 min'],
    [280_800_000, '3 d 6 h'],
  ] as const)
    it(`says ${text}`, () => expect(formatSpan(ms)).to.equal(text));
});

describe('the body that the console sends', () => {
  it('is what the service reads, tick by tick', () => {
    const series = syntheticTicks({ seed: 3, count: 400 });
    const body = buildBody({ series: ticksUpTo(series, 399, 250), horizonMs: 60_000 });
    if (!('Price' in body)) return expect.fail('no prices');
    const read = parseTickRequest(body.Timestamp, body.Price);
    expect([...read.series.timesUs]).to.deep.equal([...series.timesUs.subarray(150)]);
    expect([...read.series.prices]).to.deep.equal([...series.prices.subarray(150)]);
    expect(read.futureUs).to.equal(series.timesUs[399] + 60_000_000);
  });

  it('has the quotes of the ticks, so that the service knows their spread', () => {
    const series = syntheticTicks({ seed: 3, count: 400 });
    const [bids, asks] = [series.prices.map((price) => price - 0.01), series.prices.map((price) => price + 0.01)];
    const body = buildBody({ series: ticksUpTo({ ...series, quotes: { bids, asks } }, 399, 250), horizonMs: 60_000 });
    if (!('Bid' in body)) return expect.fail('no quotes');
    expect(body).to.not.have.property('Price');
    expect([body.Bid, body.Ask]).to.deep.equal([
      [...bids.subarray(150), 0],
      [...asks.subarray(150), 0],
    ]);
    const read = parseTickRequest(body.Timestamp, body);
    expect(read.spreadBps!()).to.be.closeTo((0.02 / series.prices[399]) * 10_000, 0.1);
  });
});

describe('steps from window to window', () => {
  const { timesUs } = syntheticTicks({ seed: 5, count: 3000 });

  it('leave the horizon and a second between the origins, and take the first tick after', () => {
    const next = nextOrigin(timesUs, 500, 10_000);
    expect(timesUs[next!] - timesUs[500]).to.be.at.least(11_000_000);
    expect(timesUs[next! - 1] - timesUs[500]).to.be.below(11_000_000);
    const before = previousOrigin(timesUs, 1500, 10_000, 200);
    expect(timesUs[1500] - timesUs[before!]).to.be.at.least(11_000_000);
    expect(timesUs[1500] - timesUs[before! + 1]).to.be.below(11_000_000);
  });

  it('end where there are no ticks, or too few for a window', () => {
    expect(nextOrigin(timesUs, 2999, 10_000)).to.equal(null);
    expect(previousOrigin(timesUs, 230, 10_000, 200)).to.equal(null);
  });
});

describe('TickRing', () => {
  it('keeps the last of any stream in order, whatever the blocks are', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50_000 }),
        fc.array(fc.integer({ min: 0, max: 20_000 }), { maxLength: 6 }),
        fc.boolean(),
        (capacity, blocks, hasQuotes) => {
          const ring = new TickRing(capacity);
          let total = 0;
          for (const length of blocks) {
            const block = Float64Array.from({ length: Math.min(length, capacity) }, (_, i) => total + i);
            const minus = block.map((value) => -value);
            if (hasQuotes) ring.addQuotes(block, minus, block);
            ring.add(block, minus);
            total += block.length;
          }
          const { timesUs, prices, quotes } = ring.toSeries();
          if (hasQuotes && blocks.length > 0) expect(quotes).to.deep.equal({ bids: prices, asks: timesUs });
          else expect(quotes).to.equal(undefined);
          const kept = Math.min(total, Math.max(capacity, 0));
          expect([ring.count, timesUs.length]).to.deep.equal([total, kept]);
          for (let i = 0; i < kept; i++) if (timesUs[i] !== total - kept + i || prices[i] !== -timesUs[i]) expect.fail(`tick ${i}`);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('the number of ticks that suits a horizon, in the console', () => {
  it('is that of the first entry that reaches the horizon, and 500 where nothing is known', () => {
    const windowTicks = [
      { upToS: 30, ticks: 1000 },
      { upToS: null, ticks: 3000 },
    ];
    expect([1, 30_000, 30_001, 1e9].map((horizonMs) => suitableCount(windowTicks, horizonMs, 6000))).to.deep.equal([
      1000, 1000, 3000, 3000,
    ]);
    expect([suitableCount([], 1000, 9000), suitableCount(windowTicks, null, 9000)]).to.deep.equal([500, 500]);
    // Too few windows of 3000.
    expect(suitableCount(windowTicks, 60_000, 5999)).to.equal(500);
  });

  it('is higher where the last ticks are so dense that the window would be too short a time for the horizon', () => {
    /** A hundred ticks a second. */
    const dense = Float64Array.from({ length: 9000 }, (_, i) => i * 1e4);
    const of = (horizonMs: number | null): number => coveringCount(500, dense, horizonMs);
    // 500 ticks are 5 s: enough for 50 s, at a tenth of the horizon.
    expect([of(50_000), of(60_000), of(300_000), of(1_800_000), of(null)]).to.deep.equal([501, 601, 3000, 3000, 500]);
    expect(coveringCount(1000, dense, 50_000)).to.equal(1000);
  });
});

describe('thinned ticks', () => {
  it('keep both ends, the lowest and the highest, in order, and are no more than asked for', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 1, max: 2, noNaN: true }), { minLength: 1, maxLength: 400 }),
        fc.integer({ min: 4, max: 500 }),
        (prices, most) => {
          const all = Float64Array.from(prices);
          const kept = [...thinTicks(all, 0, all.length - 1, most)];
          expect(kept.length).to.be.at.most(most);
          expect([kept[0], kept.at(-1)]).to.deep.equal([0, all.length - 1]);
          expect(kept.every((at, i) => i === 0 || at > kept[i - 1])).to.equal(true);
          const ends = (values: readonly number[]): number[] => [Math.min(...values), Math.max(...values)];
          expect(ends(kept.map((at) => all[at]))).to.deep.equal(ends(prices));
        },
      ),
    );
  });

  it('are all where there is room, and none of nothing', () => {
    expect([...thinTicks(Float64Array.of(1, 2, 3, 4), 1, 3, 10)]).to.deep.equal([1, 2, 3]);
    expect([...thinTicks(Float64Array.of(1, 2), 1, 0, 10)]).to.deep.equal([]);
  });
});

const STEP_US = 500_000;
const HORIZON_MS = 60_000;

/** Ticks every 0.5 s; the price jumps by 10 bps in the middle of each minute that `isLarge` names, counted from the first tick. */
function ticks(minutes: number, isLarge: (minute: number) => boolean): { timesUs: Float64Array; prices: Float64Array } {
  const count = minutes * 120 + 1;
  const prices = new Float64Array(count);
  let log = 0;
  for (let i = 0; i < count; i++) {
    if (i % 120 === 60 && isLarge(Math.floor(i / 120))) log += 1e-3;
    prices[i] = 100 * Math.exp(log);
  }
  return { timesUs: Float64Array.from({ length: count }, (_, i) => 1_700_000_000_000_000 + i * STEP_US), prices };
}

describe('how often such a move came before', () => {
  it('counts the earlier stretches of the length of the horizon, of the past alone', () => {
    const series = ticks(60, (minute) => (minute < 40 ? minute % 4 === 0 : true));
    expect(usualRate(series, 40 * 120, HORIZON_MS, 5, 500)).to.equal(0.25);
    expect(usualRate(series, 60 * 120, HORIZON_MS, 5, 500)).to.equal(30 / 60);
    expect(usualRate(series, 40 * 120, HORIZON_MS, 11, 500)).to.equal(0);
  });

  it('does not see the ticks behind the origin', () => {
    const all = ticks(60, (minute) => minute >= 30);
    expect(usualRate(all, 30 * 120, HORIZON_MS, 5, 500)).to.equal(0);
  });

  it('says nothing from fewer than 20 outcomes, and leaves pauses out', () => {
    const series = ticks(20, () => true);
    expect(usualRate(series, 19 * 120, HORIZON_MS, 5, 500)).to.equal(null);
    expect(usualRate(series, 20 * 120, HORIZON_MS, 5, 500)).to.equal(1);
    series.timesUs.forEach((time, i) => (series.timesUs[i] = i > 600 ? time + 7_200_000_000 : time));
    expect(usualRate(series, 20 * 120, HORIZON_MS, 5, 500)).to.equal(null);
  });
});

const labelsOf = (own: string | undefined): string[] => zoneChoices(own).map(({ label }) => label);

describe('the zones that the console offers', () => {
  it('are all known to the importer, UTC first', () => {
    const zones = zoneChoices('Pacific/Auckland').map(({ zone }) => zone);
    expect(zones[0]).to.equal('UTC');
    for (const zone of zones) expect(zoneClock(zone)).to.have.property('toUtc');
  });

  it("have the browser's own once, at the end or marked where it is among the usual ones", () => {
    expect(labelsOf('Pacific/Auckland').at(-1)).to.equal('Pacific/Auckland (this computer)');
    expect(labelsOf('Europe/Berlin')).to.include('Frankfurt, this computer');
    expect(zoneChoices('Europe/Berlin')).to.have.length(zoneChoices(undefined).length);
  });

  it('offer no zone of its own where the browser knows none', () => {
    for (const own of [undefined, '', 'Etc/Unknown', 'Etc/UTC', 'UTC'])
      expect(zoneChoices(own)).to.have.length(zoneChoices(undefined).length);
  });
});
