import { expect } from 'chai';
import { ForecastLog, type ForecastMessage } from '../../../../src/console/live/ForecastLog.ts';
import { latestCones, pastCones } from '../../../../src/console/live/liveCones.ts';
import { forecast, outcome } from './liveMessages.ts';

/** A tick each second from 1970 on, at 100 and a bit more each second. */
const TIMES = Float64Array.from({ length: 600 }, (_, i) => i * 1e6);
const SERIES = { timesUs: TIMES, prices: TIMES.map((us) => 100 + us / 1e9) };

const band = (level: number, bps: number | null): NonNullable<ForecastMessage['range']>[number] => ({
  ...{ level, move_bps: bps, low: null, high: null, coverage: null },
  reason: bps === null ? 'range_untrained' : null,
});
const stamp = (s: number): string => new Date(1000 * s).toISOString().replace('T', ' ').slice(0, 23);
/** A forecast at a second for a minute on. */
const at = (n: number, s: number, change: Partial<ForecastMessage> = {}): ForecastMessage =>
  forecast({ n, last_tick: stamp(s), future: stamp(s + 60), range: [band(0.5, 1), band(0.8, null), band(0.9, 3)], ...change });

describe('ranges on the live chart', () => {
  it('draws those of the last forecast widest first, and none beyond what the model knows', () => {
    const log = new ForecastLog();
    const row = log.add(at(0, 200), 200);
    const [wide, narrow, ...rest] = latestCones(SERIES, row);
    expect(wide).to.deep.equal({ level: 0.9, fromMs: 200_000, toMs: 260_000, price: 100.2, move: 0.0003, isHeld: null });
    expect([narrow!.level, rest]).to.deep.equal([0.5, []]);
    expect(latestCones(SERIES, undefined)).to.deep.equal([]);
    expect(latestCones(SERIES, log.add(forecast({ n: 1 }), 201)), 'a program that asks for none').to.deep.equal([]);
  });

  it('draws earlier ones that do not overlap, with their outcome, back to the first shown tick', () => {
    const log = new ForecastLog();
    for (let n = 0; n < 40; n++) {
      log.add(at(n, 100 + 10 * n), 100 + 10 * n);
      log.add(at(n, 100 + 10 * n, { id: '5m', range: [band(0.9, 9)] }), 100 + 10 * n);
      if (n < 34 && n !== 31) log.settle(outcome({ n, move_bps: n % 4 === 0 ? -3.5 : 2 }));
    }
    const cones = pastCones(SERIES, log, '60s', 150);
    expect(cones.map(({ fromMs }) => fromMs / 1000)).to.deep.equal([430, 370, 310, 250, 190]);
    expect(cones.map(({ isHeld }) => isHeld)).to.deep.equal([true, true, true, true, true]);
    expect(pastCones(SERIES, log, '60s', 480)).to.deep.equal([]);
    expect(pastCones(SERIES, log, '5m', 0), 'without an outcome').to.deep.equal([]);
    log.settle(outcome({ n: 33, move_bps: -3.5 }));
    expect(pastCones(SERIES, log, '60s', 420).map(({ isHeld, level }) => [isHeld, level])).to.deep.equal([[false, 0.9]]);
    log.settle(outcome({ n: 33, moved: null, move_bps: null }));
    expect(pastCones(SERIES, log, '60s', 420)[0]!.fromMs, 'an unknown outcome').to.equal(420_000);
  });
});
