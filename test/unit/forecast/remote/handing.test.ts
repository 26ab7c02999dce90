import { expect } from 'chai';
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

describe('windows that are handed to the process of the network', () => {
  it('are those that come while it has something to do, and not too much', () => {
    const first = [0, 1, 2, 23, 24, 1000].map(isWorthHanding);
    expect(first).to.deep.equal([false, true, true, true, false, false]);
  });

  it('are answered as on this thread, with or without a threshold of the caller', async () => {
    for (const decision of [0.05, 0.5, 0.95])
      for (const options of [{}, { minMoveBps: 3 }, { minMoveBps: 300 }]) {
        const head = { bands: { upper: [9], decision: [decision] } };
        const program = new Program(1, { head });
        const here = fakeForecaster({ head });
        const there = fakeForecaster({ head, program });
        const wanted = await here.forecaster.forecast(tickRequest(), options);
        const got = await there.forecaster.forecast(tickRequest(), options);
        expect([program.handed, there.rows.length, here.rows.length]).to.deep.equal([1, 0, 1]);
        expect([got.mark, got.detail]).to.deep.equal([wanted.mark, null]);
        expect(Object.keys(got.stagesMs ?? {}).sort()).to.deep.equal(['features', 'network', 'parse', 'rules']);
      }
  });

  it('stay here where the proof is asked for, or the other process has nothing or too much to do', async () => {
    const detailed = new Program(1);
    expect((await fakeForecaster({ program: detailed }).forecaster.forecast(tickRequest(), { detail: true })).detail).to.not.equal(null);
    expect(detailed.handed).to.equal(0);
    for (const inHand of [0, 24]) {
      const program = new Program(inHand);
      const { forecaster, rows } = fakeForecaster({ program });
      await forecaster.forecast(tickRequest());
      expect([program.handed, rows.length]).to.deep.equal([0, 1]);
    }
  });

  it('are refused as on this thread', async () => {
    const request = tickRequest();
    const flat = { ...request, series: { ...request.series, prices: request.series.prices.map(() => 2) } };
    const program = new Program(1);
    expect(await fakeForecaster({ program }).forecaster.forecast(flat)).to.deep.equal({ mark: null, detail: null, stagesMs: null });
    expect(program.handed).to.equal(1);
  });

  it('count as inputs where somebody asked', async () => {
    const inputs = new InputMonitor();
    const options = { inputs, head: {} };
    const noted: Float32Array[] = [];
    inputs.add = (_, context) => void noted.push(context);
    const asking = { owner: 'key-1' };
    const ask = async (program?: Program, isAsked = true): Promise<void> => {
      const { forecaster } = fakeForecaster({ ...options, ...(program === undefined ? {} : { program }) });
      await forecaster.forecast(tickRequest(), { minMoveBps: 40, ...(isAsked ? { asking } : {}) });
    };
    await ask();
    const [here] = noted.map((context) => [...context]);
    await ask(new Program(1, options));
    await ask(new Program(1, options), false);
    expect(noted).to.have.length(2);
    expect([...noted[1]!]).to.deep.equal(here);
  });
});
