import { expect } from 'chai';
import { meanOfClock } from '../../../../src/engine/memory/ClockProfile.ts';
import { MAX_MEMORY_BYTES, SeriesMemory } from '../../../../src/engine/memory/SeriesMemory.ts';
import type { TickSeries } from '../../../../src/ticks/TickSeries.ts';
import { walkBars } from '../../../support/walkBars.ts';

const HOUR_MS = 3_600_000;
const cut = ({ timesUs, prices }: TickSeries, from: number, to?: number): TickSeries => ({
  timesUs: timesUs.slice(from, to),
  prices: prices.slice(from, to),
});

describe('the memory of a series of bars', () => {
  for (const periodMs of [10_000, 60_000, 120_000, 300_000])
    it(`learns when the market moves from bars of ${periodMs / 1000} s`, () => {
      const memory = new SeriesMemory(periodMs);
      memory.add(walkBars({ count: (8 * 24 * HOUR_MS) / periodMs, periodMs }).series);
      const { clock, profile, originMs } = memory.view(1_800_000);
      expect(profile!.days).to.be.within(6, 7);
      const day = Math.floor(originMs / (24 * HOUR_MS)) * 24 * HOUR_MS;
      const at = (fromHour: number, toHour: number): number => meanOfClock(clock!, day + fromHour * HOUR_MS, day + toHour * HOUR_MS);
      // Moves are three times as large from 12:00 to 16:00; slots are averaged with those near them, and shrunk.
      expect(at(12.75, 15.25) / at(1, 11)).to.be.within(4, 9);
      expect(at(12, 12.5) / at(15.5, 16)).to.be.within(0.8, 1.25);
      expect(at(11, 11.5) / at(16.5, 17)).to.be.within(0.8, 1.25);
    });

  it('goes on with the next bar of another window, and not across missing bars', () => {
    const { series } = walkBars({ count: 400 });
    const whole = new SeriesMemory(60_000);
    whole.add(series);
    const joined = new SeriesMemory(60_000);
    joined.join(cut(series, 0, 200));
    joined.join(cut(series, 200));
    expect(joined.save()).to.deep.equal(whole.save());
    const gapped = new SeriesMemory(60_000);
    gapped.join(cut(series, 0, 200));
    gapped.join(cut(series, 201));
    expect(gapped.view(300_000).moves.length).to.be.below(whole.view(300_000).moves.length);
  });

  it('counts an unfinished last bar by what it has become', () => {
    const { series } = walkBars({ count: 400 });
    const whole = new SeriesMemory(60_000);
    whole.add(series);
    const live = new SeriesMemory(60_000);
    const early = cut(series, 0, 300);
    early.prices[299] = 50;
    live.join(early);
    live.join(cut(series, 100));
    expect(live.save()).to.deep.equal(whole.save());
  });

  it('compares a forecast with the move from its close to the last close of its horizon', () => {
    const { series } = walkBars({ count: 100 });
    const memory = new SeriesMemory(60_000);
    memory.add(series, 0, 50);
    const move = Math.abs(Math.log(series.prices[79] / series.prices[49]));
    const made = { horizonMs: 1_800_000, probability: 0.3, version: 1, hour: NaN, day: NaN, hours: NaN, week: NaN };
    for (const [theta, outcome] of [
      [move * (1 - 1e-9), 1],
      [move * (1 + 1e-9), 0],
    ] as const) {
      const at = SeriesMemory.load(memory.save());
      at.forecast({ ...made, theta });
      at.add(series, 50, 79);
      expect(at.view(1_800_000).outcomes.count).to.equal(0);
      at.add(series, 79, 80);
      expect(at.view(1_800_000).outcomes).to.include({ count: 1, meanOutcome: outcome });
      at.add(series, 80);
      expect(at.view(1_800_000).outcomes).to.include({ count: 1, meanOutcome: outcome });
    }
  });

  it('fits into the bytes that a memory has, and is refused in another format', () => {
    const memory = new SeriesMemory(10_000);
    memory.readAs('open');
    memory.add(walkBars({ count: 20_000, periodMs: 10_000 }).series);
    const bytes = memory.save();
    expect(bytes.length).to.be.at.most(MAX_MEMORY_BYTES);
    expect(SeriesMemory.load(bytes).save()).to.deep.equal(bytes);
    bytes[0] = 2;
    expect(() => SeriesMemory.load(bytes)).to.throw(RangeError, 'format 2');
    expect(new SeriesMemory().save()[0], 'that of ticks').to.equal(8);
  });
});
