import { expect } from 'chai';
import type { Forecaster, ForecastOptions, TickForecast } from '../../../../src/forecast/Forecaster.ts';
import { InputMonitor } from '../../../../src/forecast/InputMonitor.ts';
import { isWorthHanding } from '../../../../src/forecast/remote/judgeRemotely.ts';
import { WindowJudge } from '../../../../src/forecast/remote/WindowJudge.ts';
import type { NetworkProgram } from '../../../../src/inference/InferenceHost.ts';
import { parseRuleSet } from '../../../../src/rules/parseRuleSet.ts';
import { FakeClock } from '../../../support/FakeClock.ts';
import { fakeForecaster, fakeModel, ruleSetJson, tickRequest, type FakeOptions } from '../../../support/fakeForecaster.ts';

/** The program beside the networks, on this thread, with `inHand` there already. */
class Program implements NetworkProgram {
  handed = 0;
  readonly inHand: number;
  readonly #judge: WindowJudge;

  constructor(inHand: number, options: FakeOptions = {}) {
    this.inHand = inHand;
    const { manifest } = fakeModel('fake', options);
    this.#judge = new WindowJudge(
      (_, { size, baseline, heads }) =>
        Array.from({ length: size }, (__, i) => ({ head: heads[i]!, baselineLogit: baseline[i]!, residualLogit: 0.5, directionLogit: 1 })),
      new FakeClock(),
    );
    this.#judge.open('fake', { manifest, ruleSet: parseRuleSet(ruleSetJson(), 'test'), wantsContext: options.inputs !== undefined });
  }

  async hand(...[networkId, parcel]: Parameters<NetworkProgram['hand']>): Promise<Buffer> {
    this.handed++;
    const bytes = Buffer.alloc(parcel.byteLength);
    parcel.write(bytes, 0);
    const [answer] = this.#judge.judge(networkId, [bytes]);
    if (answer instanceof Error) throw answer;
    return answer!;
  }
}

const expectRefusal = (asked: Promise<unknown>): Promise<unknown> =>
  asked.then(
    () => expect.fail('answered'),
    () => undefined,
  );

/** Another one is asked first, and is still under way. */
function second(forecaster: Forecaster, options: ForecastOptions = {}, request = tickRequest()): Promise<TickForecast> {
  void forecaster.forecast(tickRequest({ seed: 99 }));
  return forecaster.forecast(request, options);
}

describe('windows that are handed to the process of the network', () => {
  it('are those that come while others are under way, unless that process has much in hand', () => {
    const worth = [0, 1, 200].map((others) => [0, 1, 23, 24, 1000].map((inHand) => isWorthHanding(others, { inHand })));
    expect(worth).to.deep.equal([
      [false, false, false, false, false],
      [true, true, true, false, false],
      [true, true, true, false, false],
    ]);
  });

  it('go there from the second on that is under way', async () => {
    const program = new Program(0);
    const { forecaster, rows } = fakeForecaster({ program });
    await Promise.all([1, 2, 3].map((seed) => forecaster.forecast(tickRequest({ seed }))));
    expect([program.handed, rows.length]).to.deep.equal([2, 1]);
    await forecaster.forecast(tickRequest());
    await expectRefusal(forecaster.forecast(tickRequest(), { minMoveBps: -1 }));
    await forecaster.forecast(tickRequest());
    expect([program.handed, rows.length]).to.deep.equal([2, 3]);
  });

  it('are answered as on this thread, with or without a threshold of the caller', async () => {
    for (const decision of [0.05, 0.5, 0.95])
      for (const options of [{}, { minMoveBps: 3 }, { minMoveBps: 300 }]) {
        const head = { bands: { upper: [9], decision: [decision] } };
        const program = new Program(1, { head });
        const here = fakeForecaster({ head });
        const there = fakeForecaster({ head, program });
        const wanted = await here.forecaster.forecast(tickRequest(), options);
        const got = await second(there.forecaster, options);
        expect([program.handed, there.rows.length, here.rows.length]).to.deep.equal([1, 1, 1]);
        expect([got.mark, got.detail]).to.deep.equal([wanted.mark, null]);
        expect(Object.keys(got.stagesMs ?? {}).sort()).to.deep.equal(['features', 'network', 'parse', 'rules']);
      }
  });

  it('stay here where the proof is asked for, or the other process has too much to do', async () => {
    const detailed = new Program(0);
    expect((await second(fakeForecaster({ program: detailed }).forecaster, { detail: true })).detail).to.not.equal(null);
    expect(detailed.handed).to.equal(0);
    const program = new Program(24);
    const { forecaster, rows } = fakeForecaster({ program });
    await second(forecaster);
    expect([program.handed, rows.length]).to.deep.equal([0, 2]);
  });

  it('are refused as on this thread', async () => {
    const request = tickRequest();
    const flat = { ...request, series: { ...request.series, prices: request.series.prices.map(() => 2) } };
    const program = new Program(1);
    expect(await second(fakeForecaster({ program }).forecaster, {}, flat)).to.deep.equal({ mark: null, detail: null, stagesMs: null });
    expect(program.handed).to.equal(1);
  });

  it('count as inputs where somebody asked', async () => {
    const inputs = new InputMonitor();
    const made = { inputs, head: {} };
    const noted: Float32Array[] = [];
    inputs.add = (_, context) => void noted.push(context);
    const asking = { owner: 'key-1' };
    const ask = async (program?: Program, isAsked = true): Promise<void> => {
      const { forecaster } = fakeForecaster({ ...made, ...(program === undefined ? {} : { program }) });
      const options = { minMoveBps: 40, ...(isAsked ? { asking } : {}) };
      await (program === undefined ? forecaster.forecast(tickRequest(), options) : second(forecaster, options));
    };
    await ask();
    const [here] = noted.map((context) => [...context]);
    await ask(new Program(1, made));
    await ask(new Program(1, made), false);
    expect(noted).to.have.length(2);
    expect([...noted[1]!]).to.deep.equal(here);
  });
});
