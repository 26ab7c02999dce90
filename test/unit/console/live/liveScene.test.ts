import { expect } from 'chai';
import { LevelQuestion } from '../../../../src/console/live/LevelQuestion.ts';
import { ForecastLog, type ForecastMessage } from '../../../../src/console/live/ForecastLog.ts';
import { forecastAt, liveScene } from '../../../../src/console/live/liveScene.ts';
import { LIVE_HORIZONS } from '../../../../src/console/live/livePlan.ts';
import { bandAround, bandOf, type Scene } from '../../../../src/console/chart/Scene.ts';
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

const STREAM = {
  ...{ name: 'x', plans: LIVE_HORIZONS, series: SERIES, position: 600, log: new ForecastLog(), scores: [] },
  ...{ isResumed: false, isPlayed: true, isMoving: true },
};
const sceneOf = (log: ForecastLog, id: string | null = '60s'): Scene => liveScene({ ...STREAM, log }, 300, id);

describe('the live chart', () => {
  it('draws the ranges of the last forecast widest first, and none beyond what the model knows', () => {
    const log = new ForecastLog();
    log.add(at(0, 200), 200);
    const [wide, narrow, ...rest] = sceneOf(log).cones;
    expect(wide).to.include({ level: 0.9, fromMs: 200_000, toMs: 260_000, price: 100.2, isHeld: null });
    expect(wide!.high).to.be.closeTo(100.2 * Math.exp(0.0003), 1e-9);
    expect([narrow!.level, rest]).to.deep.equal([0.5, []]);
    expect(sceneOf(new ForecastLog()).cones).to.deep.equal([]);
    log.add(forecast({ n: 1 }), 201);
    expect(sceneOf(log).cones, 'a program that asks for none').to.deep.equal([]);
  });

  it('has the band of the last forecast around the price that it was made at, as every other place has', () => {
    const log = new ForecastLog();
    log.add(at(0, 200, { min_move_bps: 10 }), 200);
    const scene = sceneOf(log);
    expect([scene.last, scene.bandPrice]).to.deep.equal([599, SERIES.prices[200]]);
    expect(bandOf(scene)).to.deep.equal(bandAround(SERIES.prices[200], 10));
  });

  it('shows a round time with the last 400 ticks or bars, or the one that is chosen', () => {
    const minutes = { timesUs: TIMES.map((us) => 60 * us), prices: SERIES.prices };
    const spanOf = (series: typeof SERIES, position: number, spanS: number | null): number =>
      liveScene({ ...STREAM, series, position }, spanS, null).spanMs / 1000;
    expect([spanOf(SERIES, 600, null), spanOf(minutes, 600, null), spanOf(SERIES, 1, null), spanOf(SERIES, 600, 900)]).to.deep.equal([
      600, 43_200, 60, 900,
    ]);
  });

  it('gives the future the length of the horizon that is shown', () => {
    const log = new ForecastLog();
    expect([null, '10s', '30m'].map((id) => sceneOf(log, id).horizonMs)).to.deep.equal([60_000, 10_000, 1_800_000]);
  });

  it('draws earlier ranges that do not overlap, with their outcome, between two ticks', () => {
    const log = new ForecastLog();
    for (let n = 0; n < 40; n++) {
      log.add(at(n, 100 + 10 * n), 100 + 10 * n);
      log.add(at(n, 100 + 10 * n, { id: '5m', range: [band(0.9, 9)] }), 100 + 10 * n);
      if (n < 34 && n !== 31) log.settle(outcome({ n, move_bps: n % 4 === 0 ? -3.5 : 2 }));
    }
    const pastCones = (from: number, to = 599, id = '60s') => sceneOf(log, id).earlier!(from, to).cones;
    expect(pastCones(150).map(({ fromMs }) => fromMs / 1000)).to.deep.equal([430, 370, 310, 250, 190]);
    expect(pastCones(150).map(({ isHeld }) => isHeld)).to.deep.equal([true, true, true, true, true]);
    expect(pastCones(150, 300).map(({ fromMs }) => fromMs / 1000)).to.deep.equal([300, 240, 180]);
    expect(pastCones(480)).to.deep.equal([]);
    expect(pastCones(0, 599, '5m'), 'without an outcome').to.deep.equal([]);
    log.settle(outcome({ n: 33, move_bps: -3.5 }));
    expect(pastCones(420).map(({ isHeld, level }) => [isHeld, level])).to.deep.equal([[false, 0.9]]);
    log.settle(outcome({ n: 33, moved: null, move_bps: null }));
    expect(pastCones(420)[0].fromMs, 'an unknown outcome').to.equal(420_000);
  });

  it('draws marks with horizon, threshold and outcome, and reads the forecast that was the last one at a tick', () => {
    const log = new ForecastLog();
    for (let n = 0; n < 3; n++) log.add(at(n, 100 + 10 * n, { trend_identified: 1, min_move_bps: 5 }), 100 + 10 * n);
    log.add(at(0, 125, { id: '10s', trend_identified: 1 }), 125);
    log.settle(outcome({ n: 0, moved: true }));
    log.settle(outcome({ n: 1, moved: null, move_bps: null }));
    const { marks } = sceneOf(log, null).earlier!(0, 599);
    expect(marks.map(({ name, came }) => [name, came])).to.deep.equal([
      ['10 s', null],
      ['1 min', null],
      ['1 min', undefined],
      ['1 min', true],
    ]);
    expect(marks[1]).to.include({ fromMs: 120_000, toMs: 180_000, minMoveBps: 5, price: 100.12 });
    expect(sceneOf(log).earlier!(105, 115).marks).to.have.length(1);
    expect([99, 105, 599].map((tick) => forecastAt(log, '60s', tick)?.message.n)).to.deep.equal([undefined, 0, 2]);
  });

  it('has a level with its chance, and the ranges that all prices stay in, of the last answer for the horizon', () => {
    const level = new LevelQuestion({ send: () => true, isFree: false });
    const log = new ForecastLog();
    log.add(at(0, 200), 200);
    const scene = (id = '60s') => liveScene({ ...STREAM, level, log }, 300, id);
    expect(scene().level).to.deep.include({ price: SERIES.prices[200], chance: '· drag for its chance' });
    expect(scene().isReach).to.equal(false);
    level.take(at(0, 200));
    level.price = 100.7;
    expect(scene().level!.chance).to.equal('…');
    level.ask('60s', 0, 1);
    const reach = [{ ...band(0.9, 10), low: 100, high: 101 }, band(0.5, null)];
    const levels = [{ price: 100.7, probability: 0.25, version_probability: 0.25, baseline_probability: 0.3, reason: null }];
    level.take(at(0, 300, { id: 'ask', touch: { levels, outcomes: 0, reach } }));
    expect(scene().level).to.deep.equal({ price: 100.7, chance: 'reached: 25 %', text: '100.7, reached within 1 min: 25 %' });
    expect(scene().isReach).to.equal(true);
    expect(scene().cones).to.have.length(1);
    expect(scene().cones[0]).to.deep.include({ level: 0.9, low: 100, high: 101, fromMs: 300_000, toMs: 360_000 });
    expect(scene('5m').isReach, 'another horizon has its own').to.equal(false);
    expect(liveScene({ ...STREAM, log }, 300, '60s').level, 'another program asks for the forecasts').to.equal(undefined);
  });
});
