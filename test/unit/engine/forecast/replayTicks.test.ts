import { expect } from 'chai';
import type { ForecastDetail } from '../../../../src/contract/forecastDetail.ts';
import type { ForecastCall, TickForecast } from '../../../../src/engine/forecast/Forecaster.ts';
import type { TickRequest } from '../../../../src/ticks/parseTickRequest.ts';
import { replayOrigins, replayTicks, type ReplayedWindow, type ReplayOptions } from '../../../../src/engine/forecast/replayTicks.ts';
import { type DueForecast, LiveSeries, OutcomeBudget } from '../../../../src/engine/live/LiveSeries.ts';
import { SeriesMemory } from '../../../../src/engine/memory/SeriesMemory.ts';
import { SUMMARY_OF_FORECAST } from '../../../support/fakeParts.ts';

const SECOND_US = 1e6;
const START_US = Date.UTC(2024, 0, 2) * 1000;
const OPTIONS: ReplayOptions = { ticks: 200, horizonUs: 10 * SECOND_US, everyUs: 11 * SECOND_US };

/** One tick per second; the price rises by 10 basis points at second 305 and stays there. */
const series = {
  timesUs: Float64Array.from({ length: 400 }, (_, i) => START_US + i * SECOND_US),
  prices: Float64Array.from({ length: 400 }, (_, i) => (i < 305 ? 100 : 100 * Math.exp(0.001))),
};

function fakeForecaster(over: (request: TickRequest) => object = () => ({})) {
  const asked: { request: TickRequest; options: ForecastCall | undefined }[] = [];
  const forecast = (request: TickRequest, options?: ForecastCall): Promise<TickForecast> => {
    asked.push({
      request: { ...request, series: { timesUs: request.series.timesUs.slice(), prices: request.series.prices.slice() } },
      options,
    });
    const detail = {
      opportunity: { probability: 0.7, decision_threshold: 0.6, min_move_bps: 5 },
      logit: { baseline: Math.log(3), network: 0, rules: 0, total: 0.85 },
      reasons: [{ code: 'below_threshold', text: '' }],
      input: { median_gap_ms: 1000, notes: [] },
      ...over(request),
    } as unknown as ForecastDetail;
    return Promise.resolve({ mark: null, reason: 'below_threshold', summary: SUMMARY_OF_FORECAST, detail, stagesMs: null });
  };
  return { asked, forecast };
}

async function replayed(forecaster: ReturnType<typeof fakeForecaster>, options = OPTIONS): Promise<ReplayedWindow[]> {
  const windows = [];
  for await (const window of replayTicks(forecaster, series, options)) windows.push(window);
  return windows;
}

describe('replayTicks', () => {
  it('gives the windows of a live series with memory: longer ones where the usual number is too short a time for the horizon', async () => {
    const lengthsAt = async (horizonUs: number, stretches: boolean): Promise<number[]> => {
      const forecaster = fakeForecaster();
      await replayed(forecaster, { ...OPTIONS, horizonUs, everyUs: 100 * SECOND_US, stretches });
      return forecaster.asked.map(({ request }) => request.series.timesUs.length);
    };
    const budget = new OutcomeBudget(99);
    const liveAt = (horizonMs: number): number => {
      const due: number[] = [];
      const sink = { due: ({ window }: DueForecast) => void due.push(window.timesUs.length), outcome: () => {}, tally: () => {} };
      const plan = { id: 'a', horizonMs, everyMs: 100_000, options: {} };
      const live = new LiveSeries([plan], sink, budget, { memory: new SeriesMemory(0) });
      for (let i = 0; i < 700; i++) live.push(START_US + i * SECOND_US, 1 + (i % 3) / 1000);
      return due.at(-1)!;
    };
    expect(await lengthsAt(10 * SECOND_US, true)).to.deep.equal([200, 200, 200]);
    // 200 ticks are 199 s, a twentieth of 3,980 s; the 500 of a live series a twentieth of 9,980 s.
    expect(await lengthsAt(3980 * SECOND_US, true)).to.deep.equal([200, 200, 200]);
    expect(await lengthsAt(3981 * SECOND_US, true)).to.deep.equal([200, 300, 400]);
    expect(await lengthsAt(3981 * SECOND_US, false)).to.deep.equal([200, 200, 200]);
    expect([liveAt(9_980_000), liveAt(9_981_000) > 500]).to.deep.equal([500, true]);
  });

  it('forecasts with the ticks up to the origin and none after it, with the given distance between windows', async () => {
    const forecaster = fakeForecaster();
    await replayed(forecaster, { ...OPTIONS, options: { minMoveBps: 5, model: 'm' } });
    const { asked } = forecaster;
    expect(asked).to.have.lengthOf(Math.ceil((400 - 199) / 11));
    for (const [i, { request, options }] of asked.entries()) {
      expect(request.series.timesUs).to.have.lengthOf(200);
      const last = 199 + 11 * i;
      expect([request.series.timesUs[0], request.series.timesUs.at(-1)]).to.deep.equal([series.timesUs[last - 199], series.timesUs[last]]);
      expect(request.series.prices.at(-1)).to.equal(series.prices[last]);
      expect(request.futureUs).to.equal(series.timesUs[last] + OPTIONS.horizonUs);
      const { memory, ...others } = options!;
      expect(others).to.deep.equal({ detail: true, counterfactual: false, minMoveBps: 5, model: 'm' });
      expect(memory).to.include({ originMs: Math.floor(series.timesUs[last] / 1000), horizonMs: OPTIONS.horizonUs / 1000 });
    }
    const alone = fakeForecaster();
    await replayed(alone, { ...OPTIONS, memory: 'off' });
    expect(alone.asked.some(({ options }) => options!.memory !== undefined)).to.equal(false);
  });

  it('tells windows on ticks that the version was trained on', async () => {
    const input = { median_gap_ms: 1000, notes: ['seen_in_training'] };
    const [, second] = await replayed(fakeForecaster(({ futureUs }) => (futureUs > START_US + 215e6 ? { input } : {})));
    expect(second!.isSeen).to.equal(true);
  });

  it('gives the outcome: 1 only if the move is between entry and exit, and none if the file ends', async () => {
    const windows = await replayed(fakeForecaster());
    // Entry one second after the origin, exit ten: origins 295 to 303.
    const moved = windows.filter(({ outcome }) => outcome === 1).map(({ timeUs }) => (timeUs - START_US) / SECOND_US);
    expect(moved).to.deep.equal([298]);
    expect(windows.find(({ outcome }) => outcome === 1)!.moveBps).to.be.closeTo(10, 1e-9);
    expect(windows.filter(({ outcome }) => outcome === 'data_ends').map(({ timeUs }) => (timeUs - START_US) / SECOND_US)).to.deep.equal([
      397,
    ]);
    expect(windows[0]).to.deep.include({
      isSeen: false,
      probability: 0.7,
      mark: null,
      reasons: ['below_threshold'],
      minMoveBps: 5,
      outcome: 0,
      moveBps: 0,
    });
    expect(windows[0].baselineProbability).to.be.closeTo(0.75, 1e-12);
  });

  it('uses the threshold of each window, and reports if there is none', async () => {
    const opportunity = (min_move_bps: number | null) => ({
      opportunity: { probability: null, decision_threshold: null, min_move_bps },
      logit: null,
    });
    const high = await replayed(fakeForecaster(() => opportunity(11)));
    expect(high.some(({ outcome }) => outcome === 1)).to.equal(false);
    const { moveBps } = (await replayed(fakeForecaster())).find(({ outcome }) => outcome === 1)!;
    expect((await replayed(fakeForecaster(() => opportunity(moveBps)))).some(({ outcome }) => outcome === 1)).to.equal(false);
    const none = await replayed(fakeForecaster(() => opportunity(null)));
    expect(new Set(none.map(({ outcome }) => outcome))).to.deep.equal(new Set(['no_threshold', 'data_ends']));
    expect(none[0]).to.include({ probability: null, baselineProbability: null });
  });

  it('uses only the given number of windows, the last ones', () => {
    const all = replayOrigins(series, OPTIONS);
    expect([...replayOrigins(series, { ...OPTIONS, most: 3 })]).to.deep.equal([...all.slice(-3)]);
    expect([...replayOrigins(series, { ...OPTIONS, ticks: 401 })]).to.deep.equal([]);
  });
});
