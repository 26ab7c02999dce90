import { expect } from 'chai';
import { ServiceError } from '../../../../src/core/ServiceError.ts';
import { judgeThreshold } from '../../../../src/forecast/judgeThreshold.ts';
import { readVerdict } from '../../../../src/forecast/remote/verdictBytes.ts';
import { WindowJudge, type RunRows } from '../../../../src/forecast/remote/WindowJudge.ts';
import { windowParcel, type WindowQuestion } from '../../../../src/forecast/remote/windowParcel.ts';
import { WindowSlot } from '../../../../src/forecast/WindowSlot.ts';
import type { NetworkBatch } from '../../../../src/model/Network.ts';
import type { NetworkOutput } from '../../../../src/model/NetworkSpec.ts';
import { parseRuleSet } from '../../../../src/rules/parseRuleSet.ts';
import { FakeClock } from '../../../support/FakeClock.ts';
import { fakeModel, ruleSetJson, tickRequest } from '../../../support/fakeForecaster.ts';

const model = fakeModel('fake');
const ruleSet = parseRuleSet(ruleSetJson(), 'test');
const clock = new FakeClock();

/** A network that says of a row what only that row can give. */
function outputOf(sequence: ArrayLike<number>, context: ArrayLike<number>, baseline: number, head: number): NetworkOutput {
  const sum = (values: ArrayLike<number>): number => Array.from(values).reduce((all, value, i) => all + value * Math.cos(i), 0);
  return { head, baselineLogit: baseline, residualLogit: Math.tanh(sum(sequence)), directionLogit: Math.tanh(sum(context)) };
}
const runRows: RunRows = (_, { size, sequence, context, baseline, heads }: NetworkBatch) =>
  Array.from({ length: size }, (__, i) => {
    const part = (values: Float32Array): Float32Array => values.subarray((i * values.length) / size, ((i + 1) * values.length) / size);
    return outputOf(part(sequence), part(context), baseline[i]!, heads[i]!);
  });

function judgeOf(run: RunRows = runRows, wantsContext = false): WindowJudge {
  const judge = new WindowJudge(run, clock);
  judge.open('fake', { manifest: model.manifest, ruleSet, wantsContext });
  return judge;
}

function ask(judge: WindowJudge, questions: readonly WindowQuestion[]) {
  const bytes = questions.map((question) => {
    const parcel = windowParcel(question);
    const buffer = Buffer.alloc(parcel.byteLength);
    parcel.write(buffer, 0);
    return buffer;
  });
  return judge.judge('fake', bytes).map((each) => (each instanceof ServiceError ? each : readVerdict(each)));
}

const constant = (): WindowQuestion => {
  const request = tickRequest();
  return { request: { ...request, series: { ...request.series, prices: request.series.prices.map(() => 2) } }, theta: null };
};

describe('WindowJudge', () => {
  it('says what judgeThreshold says, bit for bit, of windows of any length, refused ones between them', async () => {
    const questions: WindowQuestion[] = [200, 3000, 499, 500].flatMap((count, seed) => [
      { request: tickRequest({ seed, count, horizonS: 30 * (seed + 1) }), theta: null },
      constant(),
      { request: tickRequest({ seed: 50 + seed, count }), theta: 0.0004 * (seed + 1) },
    ]);
    const slot = new WindowSlot();
    const host = {
      infer: (_: string, row: { sequence: Float32Array; context: Float32Array; baseline: number; head: number }) =>
        Promise.resolve(outputOf(row.sequence, row.context, Math.fround(row.baseline), row.head)),
      close: () => Promise.resolve(),
    };
    const answers = ask(judgeOf(), questions);
    expect(answers).to.have.length(questions.length);
    for (const [i, { request, theta }] of questions.entries()) {
      const question = { theta, asking: undefined, wantsTrace: false };
      const wanted = await judgeThreshold({ host, rulesOf: () => ruleSet, clock, slot }, model, request, question);
      const got = answers[i]!;
      if (got instanceof ServiceError) throw got;
      if (typeof wanted === 'string') expect(got.verdict).to.equal(wanted);
      else {
        const { probability, decision, reasons } = wanted;
        expect(got.verdict).to.deep.include({ theta: wanted.theta, probability, decision });
        expect(got.verdict)
          .to.have.property('reasons')
          .that.deep.equals(reasons.map(({ code }) => ({ code })));
      }
    }
    expect(answers.filter((each) => 'verdict' in each && typeof each.verdict === 'string')).to.have.length(4);
  });

  it("gives the context columns at the window's own threshold where they are wanted, whatever was asked", () => {
    const request = tickRequest();
    const wanted = new WindowSlot().ownContext(request);
    for (const theta of [null, 0.01]) {
      const [answer] = ask(judgeOf(runRows, true), [{ request, theta }]);
      expect(answer).to.have.property('ownContext').that.deep.equals(wanted);
    }
    expect(ask(judgeOf(), [{ request, theta: null }])[0]).to.have.property('ownContext', null);
  });

  it('does not ask the network where no window has features', () => {
    const judge = judgeOf(() => expect.fail('asked'));
    expect(ask(judge, [constant(), constant()])).to.have.length(2);
    expect(ask(judge, [])).to.deep.equal([]);
  });

  it('fails a row alone whose output is an error, is not finite or is not there', () => {
    const request = tickRequest();
    const outputs: (NetworkOutput | ServiceError)[] = [
      outputOf([0], [0], 0, 1),
      new ServiceError('inference.failed', 'poisoned'),
      { ...outputOf([0], [0], 0, 1), residualLogit: NaN },
      outputOf([0], [0], 0, 99),
    ];
    const answers = ask(
      judgeOf(() => outputs),
      Array.from({ length: 5 }, () => ({ request, theta: null })),
    );
    expect(answers.map((each) => (each instanceof ServiceError ? each.message : 'verdict'))).to.deep.equal([
      'verdict',
      'poisoned',
      'model fake answered a logit that is not finite',
      'model fake has no head 99',
      'The network gave no answer.',
    ]);
  });

  it('names a version that is not loaded, or no more', () => {
    const judge = judgeOf();
    expect(() => judge.judge('other', [])).to.throw(ServiceError, 'No model other is loaded.');
    judge.drop('fake');
    expect(() => judge.judge('fake', []))
      .to.throw(ServiceError)
      .with.property('code', 'model.unknown');
  });
});
