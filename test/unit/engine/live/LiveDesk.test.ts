import { expect } from 'chai';
import type { ForecastCall, ForecastSummary, TickForecast } from '../../../../src/engine/forecast/Forecaster.ts';
import { invalidRequest } from '../../../../src/core/ServiceError.ts';
import { LiveDesk, type DeskDeps } from '../../../../src/engine/live/LiveDesk.ts';
import type { TickRequest } from '../../../../src/ticks/parseTickRequest.ts';
import { walkTicks } from '../../../support/walkTicks.ts';

const SUMMARY: ForecastSummary = {
  model: 'base',
  probability: 0.6,
  baselineProbability: 0.3,
  decisionThreshold: 0.5,
  minMoveBps: 0.1,
  reasons: [],
  medianGapS: 0.4,
};
const FORECAST: TickForecast = { mark: 1, reason: null, summary: SUMMARY, detail: null, stagesMs: null };
const PLAN = { id: '10s', horizonMs: 10_000, everyMs: 'tick', options: {} } as const;
const ticks = walkTicks({ seed: 5, count: 2000 });

type Asked = {
  readonly request: TickRequest;
  readonly options: ForecastCall;
  answer(forecast?: TickForecast): void;
  fail(cause: unknown): void;
};

/** A desk whose forecasts end when the test says so, and what it called. */
function open(given: Partial<DeskDeps> = {}) {
  const asked: Asked[] = [];
  const told: string[] = [];
  const desk = new LiveDesk({
    ...{ plans: [PLAN], modelId: undefined },
    forecast: (request, options) =>
      new Promise((resolve, reject) => void asked.push({ request, options, answer: (made = FORECAST) => resolve(made), fail: reject })),
    onForecast: (series, { n }, { mark }) => void told.push(`${series} forecast ${n} ${mark}`),
    onOutcome: (series, { n, moved }) => void told.push(`${series} outcome ${n} ${moved}`),
    ...given,
  });
  const push = (from: number, to: number, name = 'a'): void => {
    for (let i = from; i < to; i++) desk.push(name, ticks.timesUs[i]!, ticks.prices[i]!);
  };
  return { desk, asked, told, push };
}
const settle = async (): Promise<void> => {
  for (let i = 0; i < 20; i++) await Promise.resolve();
};

describe('LiveDesk', () => {
  it('computes the forecasts of each series, and gives forecasts and outcomes with its name', async () => {
    const { desk, asked, told, push } = open();
    push(0, 199, 'a');
    push(0, 200, 'b');
    expect(asked.map(({ request }) => request.series.timesUs.at(-1))).to.deep.equal([198, 198, 199].map((i) => ticks.timesUs[i]));
    expect(asked[0]).to.deep.include({ options: {}, request: { series: { timesUs: ticks.timesUs.slice(0, 199), prices: ticks.prices.slice(0, 199) }, futureUs: ticks.timesUs[198]! + 10e6 } }); // prettier-ignore
    for (const one of asked) one.answer();
    await settle();
    expect(told).to.deep.equal(['a forecast 0 1', 'b forecast 0 1', 'b forecast 1 1']);
    for (const [second, factor] of [
      [1, 1],
      [5, 1.02],
      [11, 1.02],
    ] as const)
      // prettier-ignore
      desk.push('a', ticks.timesUs[198]! + second * 1e6, ticks.prices[198]! * factor);
    expect(told.slice(3)).to.deep.equal(['a outcome 0 true']);
    for (const one of asked.slice(3)) one.answer();
    const closed = await desk.close();
    expect(
      closed.map(({ series, scores }) => [
        series,
        scores.map(({ plan, tally }) => [plan, tally.forecasts, tally.outcomes, tally.unscored]),
      ]),
    ).to.deep.equal([
      // prettier-ignore
      ['a', [[PLAN, 4, 1, 3]]],
      ['b', [[PLAN, 2, 0, 2]]],
    ]);
  });

  it('closes one series, with its score, and keeps nothing of it', async () => {
    const { desk, asked, push } = open();
    push(0, 199, 'a');
    push(0, 10, 'b');
    for (const one of asked) one.answer();
    const closed = await desk.closeSeries('a');
    expect([closed?.series, closed?.scores.map(({ tally }) => [tally.forecasts, tally.unscored])]).to.deep.equal(['a', [[1, 1]]]);
    expect(await desk.closeSeries('a')).to.equal(undefined);
    expect((await desk.close()).map(({ series }) => series)).to.deep.equal(['b']);
  });

  it('asks the version and the threshold that it was given, and closes only if the version uses them', () => {
    // A minute and more before the window of 199 ticks.
    const cases: [given: Partial<DeskDeps>, options: ForecastCall, hasCloses: boolean][] = [
      [{}, {}, false],
      [{ modelId: 'mine' }, { model: 'mine' }, false],
      [{ plans: [{ ...PLAN, options: { minMoveBps: 3 }, ticks: 199 }] }, { minMoveBps: 3 }, false],
      [
        { modelId: 'mine', usesCloses: true, plans: [{ ...PLAN, options: { minMoveBps: 3 }, ticks: 199 }] },
        { model: 'mine', minMoveBps: 3 },
        true,
      ],
    ];
    for (const [given, options, hasCloses] of cases) {
      const { asked, push } = open(given);
      push(0, 700);
      expect(asked.at(-1)?.options).to.deep.equal(options);
      expect(asked[0]?.request, 'no tick is before the first window').to.not.have.property('closes');
      expect('closes' in asked.at(-1)!.request).to.equal(hasCloses);
    }
  });

  it('marks by the rate of a plan once 200 forecasts are known, of each series alone', async () => {
    const { desk, asked } = open({ plans: [{ ...PLAN, options: { markRate: 0.1, minMoveBps: 'cost' } }] });
    for (let i = 0; i < 399; i++) {
      desk.push('a', i * 1e6, ticks.prices[i]!, 1.5);
      const last = asked.at(-1);
      last?.answer({ ...FORECAST, summary: { ...SUMMARY, probability: i / 400 } });
      await settle();
    }
    expect(asked.map(({ options }) => options.markCut).filter((cut) => cut !== null)).to.deep.equal([378 / 400]);
    expect(asked.at(-1)!.options).to.include({ minMoveBps: 'cost' });
    expect(asked.at(-1)!.request.spreadBps?.()).to.equal(1.5);
    for (let i = 0; i < 199; i++) desk.push('b', ticks.timesUs[i]!, ticks.prices[i]!, 1.5);
    expect(asked.at(-1)!.options.markCut).to.equal(null);
  });

  it('is full at 16 forecasts, and free when one of them has ended', async () => {
    const { desk, asked, push } = open();
    push(0, 198 + 15);
    expect(desk.isFull).to.equal(false);
    push(198 + 15, 198 + 16);
    expect([asked.length, desk.isFull]).to.deep.equal([16, true]);
    let isFree = false;
    const free = desk.untilFree().then(() => (isFree = true));
    await settle();
    expect(isFree).to.equal(false);
    asked[3]!.answer();
    await free;
    expect(desk.isFull).to.equal(false);
  });

  it('throws the first fault of a forecast to the caller that waits', async () => {
    const { desk, asked, push } = open();
    push(0, 201);
    await desk.untilFree();
    const faults = [new Error('first'), new Error('second')];
    faults.forEach((fault, i) => asked[i]!.fail(fault));
    asked[2]!.answer();
    await settle();
    expect(await desk.untilFree().catch((thrown: unknown) => thrown)).to.equal(faults[0]);
    expect(await desk.close().catch((thrown: unknown) => thrown)).to.equal(faults[0]);
  });

  it('skips and counts a forecast that is refused, as a service does', async () => {
    const { desk, asked, told, push } = open();
    push(0, 201);
    asked[1]!.fail(invalidRequest([]));
    for (const at of [0, 2]) asked[at]!.answer();
    expect((await desk.close())[0]?.scores[0]?.tally).to.include({ forecasts: 2 });
    expect([told.length, desk.skipped]).to.deep.equal([2, { 'request.invalid': 1 }]);
  });

  it('waits at its end for the forecasts that run', async () => {
    const { desk, asked, told, push } = open();
    push(0, 200);
    const closed = desk.close();
    for (const one of asked) one.answer();
    expect((await closed)[0]?.scores[0]?.tally).to.include({ forecasts: 2, outcomes: 0, unscored: 2 });
    expect(told).to.have.length(2);
  });
});
