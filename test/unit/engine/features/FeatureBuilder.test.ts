import { expect } from 'chai';
import { CONTEXT_COLUMNS, mirrorContext, mirrorSequence } from '../../../../src/engine/features/columns.ts';
import { FeatureBuilder } from '../../../../src/engine/features/FeatureBuilder.ts';
import type { TickSeries } from '../../../../src/ticks/TickSeries.ts';
import { buildFeatures, featuresOf, type Features } from '../../../support/buildFeatures.ts';
import { lastUs, walkTicks } from '../../../support/walkTicks.ts';

const bits = ({ sequence, context }: Features): number[] => [...sequence, ...context];
const MINUTE = 60_000;

function expectClose(actual: Features, expected: Features, tolerance: number): void {
  const left = bits(actual);
  const apart = bits(expected).findIndex((value, i) => !(Math.abs(left[i] - value) <= tolerance * Math.max(1, Math.abs(value))));
  expect(apart, `value ${apart} is ${left[apart]} for ${bits(expected)[apart]}`).to.equal(-1);
}

function joined(...parts: TickSeries[]): TickSeries {
  return {
    timesUs: Float64Array.from(parts.flatMap((part) => [...part.timesUs])),
    prices: Float64Array.from(parts.flatMap((part) => [...part.prices])),
  };
}

describe('FeatureBuilder', () => {
  describe('features do not depend on', () => {
    const series = walkTicks({ seed: 11, count: 600 });

    it('a shift in time, to the bit', () => {
      for (const shiftUs of [1000, 86_400e6, 3_155_760_000e6, -1_000_000e6]) {
        const shifted = { timesUs: series.timesUs.map((us) => us + shiftUs), prices: series.prices };
        expect(bits(featuresOf(shifted, MINUTE))).to.deep.equal(bits(featuresOf(series, MINUTE)));
      }
    });

    it('a scale of prices by a power of ten', () => {
      for (const factor of [1e-4, 1e-1, 10, 1e3, 1e6]) {
        const scaled = { timesUs: series.timesUs, prices: series.prices.map((price) => price * factor) };
        expectClose(featuresOf(scaled, MINUTE), featuresOf(series, MINUTE), 1e-5);
      }
    });

    it('everything after the origin, to the bit', () => {
      const builder = new FeatureBuilder();
      const rowOf = (source: TickSeries): number[] => {
        const measures = builder.read(source, 50, 450, series.timesUs[449] + 60e6);
        if (typeof measures === 'string') throw new Error(measures);
        const sequence = new Float32Array(960);
        const context = new Float32Array(CONTEXT_COLUMNS);
        builder.write(measures.thetaDefault, sequence, 0, context, 0);
        return [...sequence, ...context, measures.thetaDefault, ...measures.sigmas];
      };
      const cut = { timesUs: series.timesUs.slice(0, 450), prices: series.prices.slice(0, 450) };
      const poisoned = {
        timesUs: series.timesUs.map((us, i) => (i < 450 ? us : NaN)),
        prices: series.prices.map((p, i) => (i < 450 ? p : NaN)),
      };
      expect(rowOf(cut)).to.deep.equal(rowOf(series));
      expect(rowOf(poisoned)).to.deep.equal(rowOf(series));
    });

    it('earlier reads of the builder', () => {
      const builder = new FeatureBuilder(10);
      const fresh = featuresOf(series, MINUTE);
      for (const seed of [1, 2]) builder.read(walkTicks({ seed, count: 1500 }), 0, 1500, 2e15);
      const measures = builder.read(series, 0, 600, lastUs(series) + 60e6);
      const sequence = new Float32Array(960);
      const context = new Float32Array(CONTEXT_COLUMNS);
      builder.write(fresh.measures.thetaDefault * 3, sequence, 0, context, 0);
      expect(builder.write(fresh.measures.thetaDefault, sequence, 0, context, 0)).to.equal(null);
      expect(measures).to.deep.equal(fresh.measures);
      expect([...sequence, ...context]).to.deep.equal(bits(fresh));
    });

    it('earlier ticks with the same timestamp in ms: the last price counts', () => {
      const apart = walkTicks({ seed: 12, count: 300, equalTimestampFraction: 0 });
      const doubled = {
        timesUs: Float64Array.from([...apart.timesUs].flatMap((us) => [us, us + 999])),
        prices: Float64Array.from([...apart.prices].flatMap((price) => [price * 1.01, price])),
      };
      const one = featuresOf(apart, MINUTE);
      const two = featuresOf(doubled, MINUTE);
      expect(two.measures.ticks).to.equal(600);
      expect(two.measures.distinctTicks).to.equal(300);
      expect([...two.sequence]).to.deep.equal([...one.sequence]);
    });
  });

  describe('refusals', () => {
    it('reports too few distinct timestamps', () => {
      expect(buildFeatures(walkTicks({ seed: 1, count: 39, equalTimestampFraction: 0 }), MINUTE)).to.equal('too_few_distinct_ticks');
      expect(buildFeatures(walkTicks({ seed: 1, count: 40, equalTimestampFraction: 0 }), MINUTE)).to.be.an('object');
      const paired = walkTicks({ seed: 1, count: 78, equalTimestampFraction: 0 });
      const few = { timesUs: paired.timesUs.map((_, i) => paired.timesUs[i - (i % 2)]), prices: paired.prices };
      expect(buildFeatures(few, MINUTE)).to.equal('too_few_distinct_ticks');
      expect(new FeatureBuilder().read(paired, 5, 5, 2e15)).to.equal('too_few_distinct_ticks');
    });

    it('reports 200 ticks at one timestamp', () => {
      const walk = walkTicks({ seed: 2, count: 200 });
      expect(buildFeatures({ timesUs: walk.timesUs.fill(walk.timesUs[0]), prices: walk.prices }, MINUTE)).to.equal(
        'window_without_duration',
      );
    });

    it('reports a constant price, also with the rounding noise of mids', () => {
      const walk = walkTicks({ seed: 3, count: 200 });
      expect(buildFeatures({ timesUs: walk.timesUs, prices: walk.prices.fill(1.1) }, MINUTE)).to.equal('constant_price');
      const noisy = walk.prices.map((price, i) => price * (1 + (i % 2) * 5e-10));
      expect(buildFeatures({ timesUs: walk.timesUs, prices: noisy }, MINUTE)).to.equal('constant_price');
    });

    it('reports prices beyond the range of doubles', () => {
      const walk = walkTicks({ seed: 4, count: 200 });
      walk.prices[150] = 5e-324;
      walk.prices[199] = 1e300;
      expect(buildFeatures(walk, MINUTE)).to.equal('feature_not_finite');
    });

    it('reports an invalid theta, and a write without a window', () => {
      const walk = walkTicks({ seed: 5, count: 200 });
      for (const factor of [0, -1, NaN]) expect(buildFeatures(walk, MINUTE, factor)).to.equal('feature_not_finite');
      const write = (builder: FeatureBuilder) => builder.write(1e-4, new Float32Array(960), 0, new Float32Array(CONTEXT_COLUMNS), 0);
      const builder = new FeatureBuilder();
      expect(write(builder)).to.equal('feature_not_finite');
      builder.read(walk, 0, 200, lastUs(walk) + 1e6);
      expect(write(builder)).to.equal(null);
      builder.read(walk, 0, 20, lastUs(walk) + 1e6);
      expect(write(builder)).to.equal('feature_not_finite');
    });
  });

  it('computes the horizons of one window as a new builder does, to the bit', () => {
    const [walk, other] = [walkTicks({ seed: 6, count: 500 }), walkTicks({ seed: 7, count: 500 })];
    const valuesOf = (builder: FeatureBuilder, series: TickSeries, from: number, horizonUs: number): unknown => {
      const measures = builder.read(series, from, 500, lastUs(series) + horizonUs);
      if (typeof measures === 'string') return measures;
      const [sequence, context] = [new Float32Array(960), new Float32Array(CONTEXT_COLUMNS)];
      builder.write(measures.thetaDefault, sequence, 0, context, 0);
      return {
        ...measures,
        timesS: [...measures.timesS],
        logPrices: [...measures.logPrices],
        sequence: [...sequence],
        context: [...context],
      };
    };
    const builder = new FeatureBuilder();
    const windows: readonly (readonly [series: TickSeries, from: number, horizonUs: number])[] = [
      ...[10e6, 300e6, 60e6, 60e6].map((horizonUs) => [walk, 0, horizonUs] as const),
      ...[100, 470, 0].map((from) => [walk, from, 60e6] as const),
      ...[60e6, 10e6].map((horizonUs) => [other, 0, horizonUs] as const),
    ];
    for (const window of windows) expect(valuesOf(builder, ...window)).to.deep.equal(valuesOf(new FeatureBuilder(), ...window));
  });

  describe('median gap', () => {
    const medianMsOf = (gapsMs: readonly number[]): number => {
      let timeUs = 1_700_000_000e6;
      const timesUs = Float64Array.from([timeUs, ...gapsMs.map((gapMs) => (timeUs += 1000 * gapMs))]);
      const prices = timesUs.map((_, i) => 100 + (i % 7) / 100);
      const measures = new FeatureBuilder().read({ timesUs, prices }, 0, timesUs.length, timeUs + 60e6);
      if (typeof measures === 'string') throw new Error(measures);
      return Math.round(1e9 * measures.medianGapS) / 1e6;
    };
    const half = (low: number, high: number, extra: readonly number[] = []): number[] =>
      Array.from({ length: 60 }, (_, i) => (i % 2 === 0 ? low : high)).concat(extra);

    it('is the mean of the two middle gaps of an even number, the middle one of an odd number', () => {
      expect(medianMsOf(half(3, 8))).to.equal(5.5);
      expect(medianMsOf(half(3, 8, [8]))).to.equal(8);
      expect(medianMsOf(half(3, 8, [3]))).to.equal(3);
    });

    it('is as exact for gaps of a second and more', () => {
      expect(medianMsOf(half(1022, 1023))).to.equal(1022.5);
      expect(medianMsOf(half(1023, 1024))).to.equal(1023.5);
      expect(medianMsOf(half(5, 2001))).to.equal(1003);
      expect(medianMsOf(half(1500, 4001, [1]))).to.equal(1500);
      expect(medianMsOf(half(7, 90_000, [7]))).to.equal(7);
    });
  });

  describe('session gaps', () => {
    const before = walkTicks({ seed: 21, count: 200, startUs: 1_709_900_000e6 });
    const after = walkTicks({ seed: 22, count: 300, startUs: lastUs(before) + 49 * 3600e6 });

    it('removes a weekend, and ticks before it change no bit', () => {
      const whole = featuresOf(joined(before, after), MINUTE);
      const alone = featuresOf(after, MINUTE);
      expect(whole.measures.ticksBeforeGap).to.equal(200);
      expect(whole.measures.ticks).to.equal(500);
      expect(bits(whole)).to.deep.equal(bits(alone));
      expect({ ...whole.measures, ticks: 300, ticksBeforeGap: 0 }).to.deep.equal(alone.measures);
    });

    it('refuses a window with too few ticks after the gap', () => {
      const few = { timesUs: after.timesUs.slice(0, 30), prices: after.prices.slice(0, 30) };
      expect(buildFeatures(joined(before, few), MINUTE)).to.equal('too_few_distinct_ticks');
    });

    it('keeps a gap of exactly 30 minutes and cuts at a gap 1 ms longer', () => {
      const kept = walkTicks({ seed: 22, count: 300, startUs: lastUs(before) + 1800e6 });
      expect(featuresOf(joined(before, kept), MINUTE).measures.ticksBeforeGap).to.equal(0);
      const cut = walkTicks({ seed: 22, count: 300, startUs: lastUs(before) + 1800e6 + 1000 });
      expect(featuresOf(joined(before, cut), MINUTE).measures.ticksBeforeGap).to.equal(200);
    });

    it('keeps the nights between hourly closes, because 50 median gaps are longer', () => {
      const walk = walkTicks({ seed: 23, count: 240 });
      const timesUs = walk.timesUs.map((_, i) => 1_709_900_000e6 + (Math.floor(i / 8) * 24 + (i % 8)) * 3600e6);
      expect(featuresOf({ timesUs, prices: walk.prices }, 4 * 3_600_000).measures.ticksBeforeGap).to.equal(0);
    });
  });

  it('computes features for horizons from 50 ms to 30 days, and for a future in the same ms as the origin', () => {
    const series = walkTicks({ seed: 31, count: 500 });
    for (const horizonMs of [50, 1000, 10_000, 3_600_000, 30 * 86_400_000])
      expect(featuresOf(series, horizonMs).measures.horizonS).to.equal(horizonMs / 1000);
    expect(featuresOf(series, 0.5).measures.horizonS).to.equal(0.001);
  });

  it('cuts origin and future to ms, each for itself, before it takes their difference', () => {
    const series = walkTicks({ seed: 31, count: 500 });
    const originUs = lastUs(series);
    for (const [partUs, afterUs, horizonMs] of [
      [0, 10_999, 10],
      [999, 10_000, 10],
      [999, 10_001, 11],
      [600, 10_399, 10],
      [600, 10_400, 11],
      [999, 1, 1],
      [1, 500, 1],
    ] as const) {
      series.timesUs[499] = originUs + partUs;
      const measures = new FeatureBuilder().read(series, 0, 500, originUs + partUs + afterUs);
      expect(measures, `${partUs} µs, ${afterUs} µs later`).to.include({ horizonS: horizonMs / 1000 });
    }
  });

  it('computes features for one-minute closes', () => {
    const walk = walkTicks({ seed: 32, count: 200, equalTimestampFraction: 0 });
    const timesUs = walk.timesUs.map((_, i) => 1_709_900_000e6 + i * 60e6);
    for (const horizonMs of [5000, 60_000, 2_400_000])
      expect(featuresOf({ timesUs, prices: walk.prices }, horizonMs).measures.medianGapS).to.equal(60);
  });

  it('computes mirrored features for the prices 1/p', () => {
    for (const [seed, count, maxSteps] of [
      [41, 200, 3],
      [42, 45, 1],
      [43, 1500, 9],
    ] as const) {
      const series = walkTicks({ seed, count, maxSteps, equalTimestampFraction: 0 });
      const mirrored = featuresOf(series, MINUTE);
      mirrorSequence(mirrored.sequence, 0);
      mirrorContext(mirrored.context, 0);
      expectClose(featuresOf({ timesUs: series.timesUs, prices: series.prices.map((price) => 1 / price) }, MINUTE), mirrored, 1e-4);
    }
  });

  it('changes only the threshold columns with theta, and equals a new read at any theta', () => {
    const series = walkTicks({ seed: 51, count: 400 });
    const one = featuresOf(series, MINUTE, 1);
    const two = featuresOf(series, MINUTE, 2.5);
    expect([...two.sequence]).to.deep.equal([...one.sequence]);
    expect([...two.context.slice(15)]).to.deep.equal([...one.context.slice(15)]);
    expect([...two.context.slice(0, 15)]).to.not.deep.equal([...one.context.slice(0, 15)]);
  });

  it('writes only at the offsets', () => {
    const series = walkTicks({ seed: 52, count: 400 });
    const { sequence, context, measures } = featuresOf(series, MINUTE);
    const builder = new FeatureBuilder();
    builder.read(series, 0, 400, lastUs(series) + 60e6);
    const wideSequence = new Float32Array(980).fill(99);
    const wideContext = new Float32Array(CONTEXT_COLUMNS + 4).fill(99);
    builder.write(measures.thetaDefault, wideSequence, 10, wideContext, 2);
    expect([...wideSequence]).to.deep.equal([...Array(10).fill(99), ...sequence, ...Array(10).fill(99)]);
    expect([...wideContext]).to.deep.equal([99, 99, ...context, 99, 99]);
  });
});
