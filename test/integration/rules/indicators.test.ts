import { existsSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { CMO, EMA, LinearRegression, ROC, RSI, SMA } from 'trading-signals';
import { seededRandom } from '../../../src/core/Random.ts';
import type { WindowMeasures } from '../../../src/engine/features/WindowMeasures.ts';
import { findPredicate } from '../../../src/engine/rules/predicates.ts';
import { ruleContext } from '../../../src/engine/rules/Predicate.ts';
import { readTickFile } from '../../../src/ticks/import/streamTickFile.ts';
import type { TickSeries } from '../../../src/ticks/TickSeries.ts';
import { thinToBars } from '../../../training/data/BarCloses.ts';
import { featuresOf } from '../../support/buildFeatures.ts';
import { makeMeasures } from '../../support/makeMeasures.ts';
import { hasRealTicks, REAL_TICKS_DIR, REAL_TICKS_SKIPPED } from '../../support/realTicks.ts';

/** Predicates that are known indicators, with the same indicators of an independent library on evenly spaced ticks. */
const HORIZON_S = 25;

/** Ticks are evenly spaced at 1 s only if none is missing; checks the section before the origin. */
function comparesEqual(measures: WindowMeasures): void {
  const { path: sums } = ruleContext(measures, measures.thetaDefault);
  const context = ruleContext(measures, measures.thetaDefault);
  const value = (name: string): number => findPredicate(name)!.evaluate(context).value!;
  const [sigma, logPrices] = [measures.sigmas[2], [...measures.logPrices]];
  const n = HORIZON_S;
  expect(sums.recent.changes).to.equal(n);
  const last = logPrices.slice(-n - 1);

  const rsi = new RSI(n, SMA);
  last.forEach((price) => rsi.add(price));
  expect(value('persistence')).to.be.closeTo(Number(rsi.getResultOrThrow()), 1e-9);

  const roc = new ROC(n);
  last.forEach((price) => roc.add(Math.exp(price)));
  expect(value('rate_of_change')).to.be.closeTo(Math.log(1 + roc.getResultOrThrow()) / (sigma * Math.sqrt(n)), 1e-9);

  // Chande's oscillator is 100 (rise - fall) / (rise + fall): the efficiency ratio with a sign.
  const cmo = new CMO(n);
  last.forEach((price) => cmo.add(price));
  expect(value('efficiency_ratio')).to.be.closeTo(Math.abs(cmo.getResultOrThrow()) / 100, 1e-9);

  const fit = new LinearRegression(n + 1);
  last.forEach((price) => fit.add(price));
  expect(value('momentum_slope')).to.be.closeTo(fit.getResultOrThrow().slope / (sigma * Math.sqrt(6 / (5 * n))), 1e-9);

  // Time constants of 25/4 and 25 s as the library's periods; the last price has been held for 0 s.
  const average = (timeS: number): number => {
    const ema = new EMA(2 / (1 - Math.exp(-1 / timeS)) - 1);
    logPrices.slice(0, -1).forEach((price) => ema.add(price));
    return ema.getResultOrThrow();
  };
  const [fastS, slowS] = [n / 4, n];
  const deviation = sigma * ((slowS - fastS) / Math.sqrt(2 * (slowS + fastS)));
  expect(value('ema_difference')).to.be.closeTo((average(fastS) - average(slowS)) / deviation, 1e-9);
}

describe('predicates compared with trading-signals', () => {
  it('agree on random series', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const random = seededRandom(seed);
      let price = 0;
      const walk = Array.from({ length: 300 }, () => (price += 1e-4 * random.normal()));
      comparesEqual(makeMeasures(walk, { horizonS: HORIZON_S }));
    }
  });

  it('agree on real series, thinned to one tick per second', async function () {
    this.timeout(60_000);
    if (!hasRealTicks) {
      console.log(`    skipped: ${REAL_TICKS_SKIPPED}`);
      this.skip();
    }
    let compared = 0;
    for (const name of ['commodity-xauusd-oanda.csv.gz', 'crypto-btcusdt-binance.csv.gz', 'derivatives-btcusdt-perp-binance.csv.gz']) {
      const file = path.join(REAL_TICKS_DIR, name);
      expect(existsSync(file)).to.equal(true);
      const series = thinToBars((await readTickFile(file)).series, 1);
      for (const window of evenWindows(series, 120, 20)) {
        comparesEqual(featuresOf(window, HORIZON_S * 1000).measures);
        compared++;
      }
    }
    expect(compared).to.be.above(10);
  });
});

/** At most `most` windows of `length` ticks 1 s apart, with timestamps at whole seconds. */
function evenWindows({ timesUs, prices }: TickSeries, length: number, most: number): TickSeries[] {
  const found: TickSeries[] = [];
  for (let to = length; to <= timesUs.length && found.length < most; to++) {
    const second = (at: number): number => Math.floor(timesUs[at] / 1e6);
    if (second(to - 1) - second(to - length) !== length - 1) continue;
    found.push({
      timesUs: Float64Array.from({ length }, (_, i) => (second(to - length) + i) * 1e6),
      prices: prices.slice(to - length, to),
    });
    to += length;
  }
  return found;
}
