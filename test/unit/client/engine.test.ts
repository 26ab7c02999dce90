import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import type {
  Bar,
  Engine,
  EngineError,
  EngineOptions,
  openMemory,
  Ohlcv,
  Series,
  SeriesBars,
  Ticks,
} from '../../../clients/engine/src/index.ts';
import { buildEngine } from '../../../scripts/buildEngine.js';
import { syntheticTicks } from '../../../src/ticks/syntheticTicks.ts';
import { BAR_MODEL, MEMORY_LINE } from '../../support/fakeForecaster.ts';
import { saveSmallModel } from '../../support/saveSmallModel.ts';
import { walkBars } from '../../support/walkBars.ts';
import { ROOT } from '../../support/tickmarkProcess.ts';

/** As users import it: the shipped version is there only after the build. */
type Package = {
  readonly openEngine: (options?: EngineOptions) => Promise<Engine>;
  readonly Series: typeof Series;
  readonly openMemory: typeof openMemory;
  readonly EngineError: typeof EngineError;
};

describe('tickmark-engine', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'tickmark-engine-'));
  const VERSION = readdirSync(path.join(ROOT, 'models'))[0];
  let engines: Package;
  let engine: Engine;
  before(async () => {
    buildEngine(folder);
    engines = (await import(pathToFileURL(path.join(folder, 'index.js')).href)) as Package;
    engine = await engines.openEngine();
  });
  after(() => rmSync(folder, { recursive: true }));

  const ticks = (count: number) => syntheticTicks({ seed: 46, count });
  const faultOf = async (run: () => unknown): Promise<EngineError> => {
    try {
      await run();
    } catch (error) {
      if (error instanceof engines.EngineError) return error;
      throw error;
    }
    throw new Error('it was not refused');
  };
  const filesOf = (id: string): Record<string, Uint8Array> => {
    const parent = path.join(ROOT, 'models', id);
    return Object.fromEntries(readdirSync(parent).map((name) => [name, readFileSync(path.join(parent, name))]));
  };

  it('opens the shipped version, by its id too, or the files of another one, and checks its golden answers', async () => {
    expect(engine.version).to.equal(VERSION);
    expect((await engines.openEngine({ version: VERSION })).version).to.equal(VERSION);
    const files = filesOf(VERSION);
    const own = await engines.openEngine({ version: files });
    const [one, other] = [await engine.forecast(ticks(500), { horizon: '60s' }), await own.forecast(ticks(500), { horizon: '60s' })];
    expect({ ...own, ...other.detail, timings_ms: 0 }).to.deep.equal({ ...engine, ...one.detail, timings_ms: 0 });
    const weights = Uint8Array.from(files['weights.bin']);
    new DataView(weights.buffer).setFloat32(40, 3, true);
    for (const [version, code, text] of [
      ['base-x', 'model.unknown', `Known models: ${VERSION}`],
      [{}, 'model.refused', 'manifest.json is missing'],
      [{ ...files, 'manifest.json': '{"format":"x"}' }, 'model.refused', 'manifest.json'],
      [{ ...files, 'weights.bin': weights }, 'model.refused', 'golden row 0'],
      [{ ...files, 'weights.bin': weights.slice(0, -4) }, 'model.refused', 'weights.bin ends inside'],
    ] as const) {
      const fault = await faultOf(() => engines.openEngine({ version }));
      expect([fault.code, fault.message.includes(text)], fault.message).to.deep.equal([code, true]);
    }
  });

  it('forecasts and replays bars in each form, by the model of bars', async () => {
    await saveSmallModel(folder, 'bars-1', {}, 7, {}, undefined, MEMORY_LINE, BAR_MODEL);
    const parent = path.join(folder, 'bars-1');
    const version = Object.fromEntries(readdirSync(parent).map((name) => [name, readFileSync(path.join(parent, name))]));
    const own = await engines.openEngine({ version });
    const { series, bars: walked } = walkBars({ count: 1440 });
    const { open, high, low } = walked.ranges;
    const all = [...series.prices].map((close, i): Bar => ({
      ...{ timeMs: series.timesUs[i] / 1000 - 60_000, close },
      ...{ open: open[i], high: high[i], low: low[i] },
    }));
    const last = all.slice(-500) as Exclude<Bar, Ohlcv>[];
    const list = (name: 'open' | 'high' | 'low' | 'close'): number[] => last.map((bar) => bar[name]!);
    const Timestamp = last.map((bar) => ('timeMs' in bar ? bar.timeMs : NaN));
    const ranged = { Timestamp, Open: list('open'), High: list('high'), Low: list('low'), Close: list('close') };
    const ohlcv = last.map((bar, i): Ohlcv => [Timestamp[i], bar.open!, bar.high!, bar.low!, bar.close, 3]);
    const answers = [];
    for (const bars of [last, ranged, ohlcv]) {
      const { timestamp, detail } = await own.forecast(bars, { horizon: '30bars', barTime: 'open' });
      answers.push({ timestamp, head: detail.model.head, probability: detail.opportunity.probability });
    }
    expect(answers[0]).to.include({ timestamp: '2026-01-06 00:30:00.000', head: '1m/30m' });
    expect(answers).to.deep.equal([answers[0], answers[0], answers[0]]);
    const shipped = await engine.forecast(last, { horizon: '5bars', barTime: 'open' });
    expect(shipped.detail.opportunity.probability).to.be.within(0.001, 0.999);
    const past = engines.openMemory(undefined, { barPeriodMs: 60_000 });
    await own.forecast(all.slice(0, 1000), { horizon: '30m', barTime: 'open', memory: past });
    expect((await own.forecast(all.slice(30, 1030), { horizon: '30m', barTime: 'open', memory: past })).detail.memory?.used).to.equal(true);
    const live = new engines.Series(own, undefined, { barTime: 'open', period: '1m' });
    live.push(all.slice(0, 700));
    for (let i = 700; i < 1000; i++) live.push([all[i]]);
    const [ofSeries, again] = [
      await live.forecast({ horizon: '30bars', ticks: 700 }),
      engines.openMemory(undefined, { barPeriodMs: 60_000 }),
    ];
    await own.forecast(all.slice(0, 700), { horizon: '30m', barTime: 'open', memory: again });
    const ofWindows = await own.forecast(all.slice(300, 1000), { horizon: '30bars', barTime: 'open', memory: again });
    expect(ofSeries.detail.input).to.deep.equal(ofWindows.detail.input);
    expect(ofSeries.timestamp).to.equal(ofWindows.timestamp);
    expect(ofSeries.detail.memory?.used).to.equal(true);
    const kept = engines.openMemory(live.memory.save());
    expect(new engines.Series(own, kept, { barTime: 'open', period: '60s' }).memory).to.equal(kept);
    for (const [run, code] of [
      [() => live.push(all.slice(990, 1010)), 'timestamp.not_increasing'],
      [() => live.push([{ timeMs: 1.8e12, price: 1 }]), 'series.other_kind'],
      [() => live.push([{ timeMs: Timestamp.at(-1)! + 60_000, close: 100 }]), 'bars.ranges_differ'],
      [() => new engines.Series(own).push(last), 'series.other_kind'],
      [() => new engines.Series(own, kept), 'series.other_kind'],
      [() => new engines.Series(own, kept, { barTime: 'open', period: '5m' }), 'series.other_kind'],
      [() => new engines.Series(own, undefined, { barTime: 'open', period: '0s' }), 'bars.period_out_of_range'],
      [() => new engines.Series(own, undefined, { period: '1m' } as SeriesBars), 'bar_time.required'],
      [() => new engines.Series(own, undefined, { barTime: 'open', period: '1m' }).forecast({ horizon: '5m' }), 'ticks.too_few'],
    ] as const)
      expect((await faultOf(run)).fieldErrors[0]?.code).to.equal(code);
    const options = { horizon: '30bars', barTime: 'open', ticks: 300 } as const;
    let windows = 0;
    for await (const { timeUs, outcome } of own.replay(all, options)) {
      expect((timeUs / 60e6) % 1).to.equal(0);
      windows += typeof outcome === 'number' ? 1 : 0;
    }
    expect([own.windowsOf(all, options), windows]).to.deep.equal([39, 38]);
    const missing = await faultOf(() => own.forecast(last, { horizon: '30m' }));
    expect(missing.fieldErrors[0]?.code).to.equal('bar_time.required');
    const broken = await faultOf(() => own.forecast({ ...ranged, High: list('low') }, { horizon: '30m', barTime: 'open' }));
    expect(broken.fieldErrors[0]?.code).to.equal('bars.range_broken');
    const wrong = await faultOf(() => own.forecast(last, { horizon: '30m', barTime: 'end' as 'open' }));
    expect(wrong.message + wrong.fieldErrors[0]?.detail).to.include('barTime is "end"; it must be open or close.');
    expect(own.windowsOf(all, { ...options, every: '10bars' })).to.equal(115);
    expect((await faultOf(() => own.forecast(ticks(300), { horizon: '3bars' }))).fieldErrors[0]?.detail).to.include('horizon is "3bars"');
  });

  it('reads the same ticks in each form', async () => {
    const { timesUs, prices } = ticks(400);
    const [Timestamp, Price] = [Array.from(timesUs), Array.from(prices)];
    const stamps = Timestamp.map((us) => new Date(us / 1000).toISOString().replace(/(?=Z)/, String(us % 1000).padStart(3, '0')));
    const forms: readonly Ticks[] = [
      { timesUs, prices },
      { Timestamp, Price },
      { Timestamp: stamps, Price },
      Timestamp.map((timeUs, i) => ({ timeUs, price: Price[i] })),
      { Timestamp, Bid: Price, Ask: Price },
      Timestamp.map((timeUs, i) => ({ timeUs, bid: Price[i], ask: Price[i] })),
    ];
    const answers = [];
    for (const form of forms) {
      const { detail, ...answer } = await engine.forecast(form, { horizon: '5m' });
      answers.push([answer, detail.opportunity, detail.reasons]);
    }
    for (const answer of answers) expect(answer).to.deep.equal(answers[0]);
  });

  it('keeps the last ticks of a series, and forecasts from as many as suit the horizon', async () => {
    const { timesUs, prices } = ticks(4000);
    const series = new engines.Series(engine);
    expect((await faultOf(() => series.forecast({ horizon: '60s' }))).fieldErrors[0]?.code).to.equal('ticks.too_few');
    for (let at = 0; at < 4000; at += 250) series.push({ timesUs: timesUs.subarray(at, at + 250), prices: prices.subarray(at, at + 250) });
    expect(series.ticks).to.equal(3000);
    const other = new engines.Series(engine);
    other.push({ timesUs, prices });
    expect(other.memory.save()).to.deep.equal(series.memory.save());
    const memory = engines.openMemory(other.memory.save());
    expect([engine.ticksFor('60s'), engine.ticksFor('60s', memory)]).to.deep.equal([3000, 500]);
    expect([memory.sinceMs, memory.lastMs]).to.deep.equal([timesUs[0], timesUs.at(-1)].map((us) => Math.floor(us! / 1000)));
    for (const [horizon, count] of [
      ['60s', engine.ticksFor('60s', memory)],
      ['60s', 300],
      ['1h', engine.ticksFor('1h', memory)],
    ] as const) {
      const got = await series.forecast({ horizon, ...(count === 300 ? { ticks: count } : {}) });
      const wanted = await engine.forecast({ timesUs: timesUs.slice(-count), prices: prices.slice(-count) }, { horizon, memory });
      expect(got.detail.memory?.used).to.equal(true);
      expect({ ...got.detail, timings_ms: 0 }).to.deep.equal({ ...wanted.detail, timings_ms: 0 });
    }
    expect(series.memory.save()).to.deep.equal(memory.save());
    const alone = await engine.forecast({ timesUs: timesUs.slice(-300), prices: prices.slice(-300) }, { horizon: '60s' });
    expect([alone.detail.memory, alone.detail.logit?.memory]).to.deep.equal([undefined, undefined]);
    for (const wrong of [
      () => engines.openMemory(Uint8Array.of(1, 2)),
      () => engines.openMemory(undefined, { barPeriodMs: NaN }),
      () => new engines.Series(engine, { ...memory }).push(ticks(1)),
    ])
      expect((await faultOf(wrong)).code).to.equal('request.invalid');
    const late = await faultOf(() => series.push([{ timeUs: timesUs[0], price: 1 }]));
    expect([late.fieldErrors[0]?.code, series.ticks]).to.deep.equal(['timestamp.step_back', 3000]);
  });

  it('uses the spreads of a series as its cost', async () => {
    const { timesUs, prices } = ticks(600);
    const quotes = Array.from(timesUs, (timeUs, i) => ({ timeUs, bid: prices[i] * 0.9999, ask: prices[i] * 1.0001 }));
    const series = new engines.Series(engine);
    series.push(quotes);
    const { detail } = await series.forecast({ horizon: '60s', minMoveBps: 'cost' });
    expect(detail.opportunity.min_move_bps).to.be.closeTo(2, 1e-6);
    const plain = new engines.Series(engine);
    plain.push({ timesUs, prices });
    expect((await faultOf(() => plain.forecast({ horizon: '60s', minMoveBps: 'cost' }))).fieldErrors[0]?.code).to.equal(
      'min_move_bps.cost_unknown',
    );
  });

  it('yields the windows of a replay until its loop is left', async () => {
    const options = { horizon: '10s', ticks: 250, last: 7 };
    expect(engine.windowsOf(ticks(3000), options)).to.equal(7);
    const windows = [];
    for await (const window of engine.replay(ticks(3000), options)) {
      windows.push(window);
      if (windows.length === 3) break;
    }
    expect(windows.map(({ outcome }) => outcome)).to.have.length(3);
  });

  it('replays on a grid of the clock as a live series forecasts, and more often than the horizon', async () => {
    const { timesUs, prices } = ticks(4000);
    const found = [];
    for await (const window of engine.replay(
      { timesUs, prices },
      { horizon: '60s', every: '10s', grid: 'clock', ticks: 300, memory: 'off' },
    ))
      found.push(window);
    // As PlanState.reaches, at the last tick of the same millisecond.
    const interval = (at: number): number => Math.floor(timesUs[at] / 10e6);
    const ms = (at: number): number => Math.floor(timesUs[at] / 1000);
    const firsts = Array.from(timesUs.keys()).filter((at) => at >= 299 && interval(at) > interval(at - 1));
    const wanted = firsts.map((at) => Array.from(timesUs.keys()).findLast((other) => ms(other) === ms(at))!);
    expect(found.map(({ timeUs }) => timeUs)).to.deep.equal(wanted.map((at) => timesUs[at]));
    expect(found.length).to.be.above(20);
    const at = wanted[9];
    const alone = await engine.forecast(
      { timesUs: timesUs.slice(at - 299, at + 1), prices: prices.slice(at - 299, at + 1) },
      { horizon: '60s' },
    );
    expect(found[9].probability).to.equal(alone.detail.opportunity.probability);
  });

  it('learns what a series has said, in one part or several', async () => {
    const { timesUs, prices } = ticks(4000);
    const part = (from: number, to: number) => ({ timesUs: timesUs.slice(from, to), prices: prices.slice(from, to) });
    const whole = await engine.learn(part(0, 4000), { horizon: '10s', ticks: 300 });
    const first = await engine.learn(part(0, 2000), { horizon: '10s', ticks: 300 });
    const second = await engine.learn(part(2000, 4000), { horizon: '10s', ticks: 300, memory: first });
    expect([second, second.sinceMs, second.lastMs]).to.deep.equal([first, whole.sinceMs, whole.lastMs]);
    const { detail } = await engine.forecast(part(3500, 4000), { horizon: '10s', memory: whole });
    expect([detail.memory?.used, detail.memory!.outcomes > 20]).to.deep.equal([true, true]);
  });

  it('names the field, the rule and the value of what it refuses, with the codes of the service', async () => {
    const { timesUs, prices } = ticks(400);
    const good = { timesUs, prices };
    const [Timestamp, Price] = [Array.from(timesUs), Array.from(prices)];
    const changed = (at: number, price: unknown): number[] => Price.map((value, i) => (i === at ? (price as number) : value));
    const forecast = (given: unknown, options: object = {}) => engine.forecast(given as Ticks, { horizon: '60s', ...options });
    const replay = async (options: object): Promise<void> => {
      for await (const _ of engine.replay(good, { horizon: '60s', ...options })) return;
    };
    const cases: readonly [run: () => unknown, code: string, detail: string][] = [
      [() => forecast(null), 'field.wrong_type', 'ticks is null'],
      [() => forecast('x'), 'field.wrong_type', 'ticks is "x"'],
      [() => forecast([]), 'ticks.too_few', 'has 0 entries; 199 to 3000'],
      [() => forecast(ticks(3001)), 'ticks.too_many', 'has 3001 entries'],
      [() => forecast({ Timestamp }), 'field.wrong_type', 'Price is'],
      [() => forecast({ Timestamp: 5, Price }), 'field.wrong_type', 'Timestamp is 5'],
      [() => forecast({ Timestamp, Bid: Price }), 'field.wrong_type', 'Ask is'],
      [() => forecast({ Timestamp, Price: Price.slice(1) }), 'ticks.lengths_differ', '399'],
      [() => forecast({ Timestamp: Timestamp.toReversed(), Price }), 'timestamp.step_back', 'Timestamp[1]'],
      [() => forecast({ Timestamp, Price: changed(7, -1) }), 'price.not_positive', 'Price[7] is -1'],
      [() => forecast({ Timestamp, Price: changed(7, NaN) }), 'price.not_finite', 'Price[7] is NaN'],
      [() => forecast({ Timestamp, Price: changed(7, '1') }), 'field.wrong_type', 'Price[7] is "1"'],
      [() => forecast([{ timeUs: 1, price: 1 }, ...Timestamp.map((timeUs) => ({ timeUs, price: 1 }))]), 'timestamp.out_of_range', 'tick 0'],
      [() => forecast([null, ...Timestamp.map((timeUs) => ({ timeUs, price: 1 }))]), 'field.wrong_type', 'tick 0 is null'],
      [() => forecast(Timestamp.map((timeUs) => ({ timeUs }))), 'field.wrong_type', 'tick 0 is'],
      [() => forecast(good, { horizon: '60' }), 'query.malformed', 'horizon is "60"'],
      [() => forecast(good, { horizon: undefined }), 'query.malformed', 'horizon is'],
      [() => forecast(good, { horizon: '2d' }), 'query.malformed', '24h at most'],
      [() => engine.ticksFor('soon'), 'query.malformed', 'horizon is "soon"'],
      [() => forecast(good, { minMoveBps: 0 }), 'min_move_bps.out_of_range', 'it is 0'],
      [() => forecast(good, { minMoveBps: 'cost' }), 'min_move_bps.cost_unknown', 'no Bid and Ask'],
      [() => forecast(good, { minProbability: 1 }), 'min_probability.out_of_range', 'it is 1'],
      [() => replay({ every: 'often' }), 'query.malformed', 'every is "often"'],
      [() => replay({ grid: 'clock' }), 'query.malformed', 'it needs every'],
      [() => replay({ grid: 'x', every: '5m' }), 'query.malformed', 'grid is "x"; it must be clock, or absent'],
      [
        () => engine.learn(good, { horizon: '60s', memory: engines.openMemory(undefined, { barPeriodMs: 60_000 }) }),
        'series.other_kind',
        'ticks',
      ],
      [() => replay({ ticks: 5 }), 'query.malformed', 'ticks is 5'],
      [() => replay({ last: 0 }), 'query.malformed', 'last is 0'],
      [() => replay({ minMoveBps: 'cost' }), 'min_move_bps.cost_unknown', 'no bid and ask'],
      [() => engine.windowsOf(ticks(100), { horizon: '60s' }), 'ticks.too_few', 'has 100 entries'],
    ];
    for (const [run, code, detail] of cases) {
      const { code: of, fieldErrors, remedy } = await faultOf(run);
      const [first] = fieldErrors;
      expect([of, first?.code, first?.detail.includes(detail)], first?.detail).to.deep.equal(['request.invalid', code, true]);
      expect(remedy).to.not.equal('');
    }
  });

  it('says why the memory of a series was not used', async () => {
    const models = path.join(folder, 'models');
    await saveSmallModel(models, 'without');
    await saveSmallModel(models, 'with', {}, 7, {}, undefined, MEMORY_LINE);
    for (const [id, reason] of [
      ['without', 'version_without_memory'],
      ['with', undefined],
    ] as const) {
      const version = Object.fromEntries(
        readdirSync(path.join(models, id)).map((name) => [name, readFileSync(path.join(models, id, name))]),
      );
      const own = await engines.openEngine({ version });
      expect((await own.forecast(ticks(300), { horizon: '10s', memory: engines.openMemory() })).detail.memory_unused).to.equal(reason);
      for await (const window of own.replay(ticks(400), { horizon: '10s', last: 2 })) expect(window.memory_unused).to.equal(reason);
    }
  });
});
