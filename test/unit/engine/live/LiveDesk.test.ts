import { expect } from 'chai';
import type { ForecastCall, ForecastSummary, TickForecast } from '../../../../src/engine/forecast/Forecaster.ts';
import { invalidRequest } from '../../../../src/core/ServiceError.ts';
import type { ServerMessage } from '../../../../src/contract/live.ts';
import type { DeskMemory, NewSeries } from '../../../../src/engine/live/DeskOwner.ts';
import { LiveDesk } from '../../../../src/engine/live/LiveDesk.ts';
import { localOwner } from '../../../../src/engine/live/localOwner.ts';
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

/** A desk whose forecasts end when the test says so, and what it said. */
function open(given: Partial<NewSeries<DeskMemory>> = {}) {
  const asked: Asked[] = [];
  const sent: ServerMessage[] = [];
  const desk = new LiveDesk(
    localOwner({
      usesMemory: false,
      compute: (request, options) =>
        new Promise((resolve, reject) => void asked.push({ request, options, answer: (made = FORECAST) => resolve(made), fail: reject })),
      send: (message) => void sent.push(message),
    }),
  );
  const begin = async (name: string) => desk.series.get(name) ?? (await desk.begin({ plans: [PLAN], ...given, name }))!;
  const push = async (from: number, to: number, name = 'a'): Promise<void> => {
    const series = await begin(name);
    for (let i = from; i < to; i++) desk.push(series, ticks.timesUs[i], ticks.prices[i]);
  };
  const told = (type: ServerMessage['type']): unknown[] =>
    sent.flatMap((message): unknown[] => {
      if (message.type !== type) return [];
      if (message.type === 'forecast') return [[message.series, message.n, message.trend_identified]];
      if (message.type === 'outcome') return [[message.series, message.n, message.moved]];
      if (message.type === 'status') return [message.skipped];
      return message.type === 'score'
        ? [[message.series, ...message.scores.map(({ forecasts, outcomes, unscored }) => [forecasts, outcomes, unscored])]]
        : [];
    });
  return { desk, asked, told, push, begin };
}
const settle = async (): Promise<void> => {
  for (let i = 0; i < 20; i++) await Promise.resolve();
};
const thrownBy = (promise: Promise<unknown> | undefined): Promise<unknown> => promise!.then(() => undefined, (thrown: unknown) => thrown); // prettier-ignore

describe('LiveDesk', () => {
  it('computes the forecasts of each series, and gives forecasts, outcomes and scores with its name', async () => {
    const { desk, asked, told, push, begin } = open();
    await push(0, 199, 'a');
    await push(0, 200, 'b');
    expect(asked.map(({ request }) => request.series.timesUs.at(-1))).to.deep.equal([198, 198, 199].map((i) => ticks.timesUs[i]));
    const series = { timesUs: ticks.timesUs.slice(0, 199), prices: ticks.prices.slice(0, 199) };
    expect(asked[0].request).to.deep.equal({ series, futureUs: ticks.timesUs[198] + 10e6 });
    for (const one of asked) one.answer();
    await settle();
    expect(told('forecast')).to.deep.equal([
      ['a', 0, 1],
      ['b', 0, 1],
      ['b', 1, 1],
    ]);
    const a = await begin('a');
    for (const [second, factor] of [
      [1, 1],
      [5, 1.02],
      [11, 1.02],
    ] as const)
      desk.push(a, ticks.timesUs[198] + second * 1e6, ticks.prices[198] * factor);
    expect(told('outcome')).to.deep.equal([['a', 0, true]]);
    for (const one of asked.slice(3)) one.answer();
    await desk.closeSeries('a');
    expect(told('score')).to.deep.equal([['a', [4, 1, 3]]]);
    expect([...desk.series.keys()]).to.deep.equal(['b']);
    expect(String(await thrownBy(desk.closeSeries('a')))).to.include('No series "a" is open');
  });

  it('asks the version and the threshold that it was given', async () => {
    const plans = [{ ...PLAN, options: { minMoveBps: 3 }, ticks: 199 }];
    for (const [given, call] of [
      [{}, {}],
      [{ model: 'mine' }, { model: 'mine' }],
      [
        { model: 'mine', plans },
        { model: 'mine', minMoveBps: 3 },
      ],
    ] as const) {
      const { asked, push } = open(given);
      await push(0, 700);
      expect(asked.at(-1)?.options).to.deep.equal({ model: undefined, memory: undefined, ...call });
    }
  });

  it('marks by the rate of a plan once 200 forecasts are known, of each series alone, and lets ticks wait for them', async () => {
    const { desk, asked, begin } = open({ plans: [{ ...PLAN, options: { markRate: 0.1, minMoveBps: 'cost' } }] });
    const [a, b] = [await begin('a'), await begin('b')];
    for (let i = 0; i < 399; i++) {
      desk.push(a, i * 1e6, ticks.prices[i], 1.5);
      expect(desk.waitFor(a, i * 1e6 + 1) !== undefined).to.equal(i >= 198);
      asked.at(-1)?.answer({ ...FORECAST, summary: { ...SUMMARY, probability: i / 400 } });
      await settle();
    }
    expect(asked.map(({ options }) => options.markCut).filter((cut) => cut !== null)).to.deep.equal([378 / 400]);
    expect(asked.at(-1)!.options).to.include({ minMoveBps: 'cost' });
    expect(asked.at(-1)!.request.spreadBps?.()).to.equal(1.5);
    for (let i = 0; i < 199; i++) desk.push(b, ticks.timesUs[i], ticks.prices[i], 1.5);
    expect(asked.at(-1)!.options.markCut).to.equal(null);
  });

  it('lets ticks wait at 16 forecasts until one of them has ended', async () => {
    const { desk, asked, push, begin } = open();
    await push(0, 198 + 15);
    const [a, nextUs] = [await begin('a'), ticks.timesUs[214]];
    expect(desk.waitFor(a, nextUs)).to.equal(undefined);
    await push(198 + 15, 198 + 16);
    let isFree = false;
    const free = desk.waitFor(a, nextUs)!.then(() => (isFree = true));
    await settle();
    expect([asked.length, isFree]).to.deep.equal([16, false]);
    asked[3].answer();
    await free;
    expect(desk.waitFor(a, nextUs)).to.equal(undefined);
  });

  it('throws the first fault of a forecast to those who wait', async () => {
    const { desk, asked, push } = open();
    await push(0, 201);
    await desk.untilFree();
    const faults = [new Error('first'), new Error('second')];
    faults.forEach((fault, i) => asked[i].fail(fault));
    asked[2].answer();
    await settle();
    expect(await thrownBy(desk.untilFree())).to.equal(faults[0]);
    expect(await thrownBy(desk.closeSeries('a'))).to.equal(faults[0]);
  });

  it('reports forecasts that are refused before the score that lacks them, and waits for those that run', async () => {
    const { desk, asked, told, push } = open();
    await push(0, 201);
    asked[1].fail(invalidRequest([]));
    const closed = desk.closeSeries('a');
    await settle();
    expect([told('status'), told('score')]).to.deep.equal([[], []]);
    for (const at of [0, 2]) asked[at].answer();
    await closed;
    expect([told('status'), told('score')]).to.deep.equal([[{ 'request.invalid': 1 }], [['a', [2, 0, 2]]]]);
    expect(told('forecast')).to.have.length(2);
  });
});
