import { Ajv } from 'ajv';
import { expect } from 'chai';
import { ForecastDetailSchema, type ForecastDetail } from '../../../../src/contract/forecastDetail.ts';
import type { NullReason } from '../../../../src/contract/reasons.ts';
import { ServiceError } from '../../../../src/core/ServiceError.ts';
import type { ForecastCall } from '../../../../src/engine/forecast/Forecaster.ts';
import type { SeenTicks } from '../../../../src/engine/model/SeenTicks.ts';
import type { TickRequest } from '../../../../src/ticks/parseTickRequest.ts';
import type { TickSeries } from '../../../../src/ticks/TickSeries.ts';
import { fakeForecaster, tickRequest, type FakeOptions } from '../../../support/fakeForecaster.ts';

const matchesSchema = new Ajv({ strict: true, allowUnionTypes: true }).compile(ForecastDetailSchema);

async function answer(fake: FakeOptions = {}, request: TickRequest = tickRequest(), options: ForecastCall = {}) {
  const { mark, reason, detail } = await fakeForecaster(fake).forecaster.forecast(request, { detail: true, ...options });
  expect(matchesSchema(detail), JSON.stringify(matchesSchema.errors)).to.equal(true);
  expect(reason).to.equal(detail?.reasons[0]?.code ?? null);
  return { mark, detail: detail as ForecastDetail };
}

const codesOf = (detail: ForecastDetail): string[] => detail.reasons.map(({ code }) => code);
const logits =
  (baselineLogit: number, residualLogit = 0, directionLogit = 0) =>
  () => ({ baselineLogit, residualLogit, directionLogit });

async function refusal(run: Promise<unknown>): Promise<ServiceError> {
  try {
    await run;
  } catch (error) {
    expect(error).to.be.instanceOf(ServiceError);
    return error as ServiceError;
  }
  throw new Error('nothing was thrown');
}

describe('Forecaster', () => {
  it('marks a probability at its decision threshold, and none below it', async () => {
    const head = { cut: 0.5 };
    const trace = (await answer({ answer: logits(3) })).detail.logit;
    const rules = trace?.rules ?? NaN;
    expect((await answer({ head, answer: logits(-rules) })).mark).to.equal(1);
    const below = await answer({ head, answer: logits(-rules - 1e-6) });
    expect([below.mark, codesOf(below.detail)]).to.deep.equal([null, ['below_threshold']]);
  });

  it('adds calibrated baseline, network and rules exactly', async () => {
    const head = { calibration: { slope: 0.8, intercept: -0.1 } };
    const { detail } = await answer({ head, answer: logits(0.7, -0.3) });
    const { baseline, network, rules, total } = detail.logit as NonNullable<ForecastDetail['logit']>;
    expect(baseline).to.equal(0.8 * 0.7 - 0.1);
    expect(network).to.equal(0.8 * -0.3);
    expect(total).to.equal(baseline + network + rules);
    expect(rules).to.not.equal(0);
    const contributions = detail.rules.reduce((sum, rule) => sum + rule.contribution, 0);
    expect(Math.abs(baseline + network + contributions - total)).to.be.below(1e-9);
    expect(detail.opportunity.probability).to.be.closeTo(1 / (1 + Math.exp(-total)), 1e-12);
  });

  it('continues the line below the trained range, and answers a higher threshold with the highest trained one', async () => {
    const own = (await answer({})).detail.opportunity.min_move_bps as number;
    const [lowest, highest] = await Promise.all([-2, 2].map((ratio) => answer({}, tickRequest(), { minMoveBps: own * Math.exp(ratio) })));
    for (const [minMoveBps, nearest] of [
      [own * Math.exp(-2.5), lowest],
      [own / 100, lowest],
      [own * 100, highest],
    ] as const) {
      const { detail } = await answer({}, tickRequest(), { minMoveBps });
      const { baseline, network, rules, total } = detail.logit as NonNullable<ForecastDetail['logit']>;
      const beyond = Math.max(0, -2 - Math.log(minMoveBps / own));
      // The fake network falls by 1 when the threshold is multiplied by e; the baseline is bounded at one in a million.
      const start = nearest?.detail.logit?.total as number;
      expect(total).to.be.closeTo(start + beyond, 1e-6);
      expect(detail.opportunity.probability).to.be.at.least(nearest?.detail.opportunity.probability as number);
      expect(baseline + network + rules).to.be.closeTo(total, 1e-9);
      expect(detail.opportunity.min_move_bps).to.equal(minMoveBps);
      expect(detail.opportunity.probability).to.be.closeTo(1 / (1 + Math.exp(-total)), 1e-12);
    }
  });

  it('never reports certainty: the baseline is bounded at one in a million', async () => {
    for (const baselineLogit of [13.8, -13.8])
      expect((await answer({ answer: logits(baselineLogit) })).detail.logit?.baseline).to.equal(baselineLogit);
    const least = (await answer({ answer: logits(-1000) })).detail.logit?.baseline ?? NaN;
    expect(1 / (1 + Math.exp(-least))).to.be.closeTo(1e-6, 1e-15);
  });

  it('has one decision threshold, at every threshold of the move; that of the caller replaces it', async () => {
    const own = (await answer()).detail.opportunity.min_move_bps as number;
    for (const ratio of [0.01, 0.3, 0.9, 1, 1.7, 6, 100])
      for (const [minProbability, cut] of [
        [undefined, 0.2],
        [0.01, 0.01],
        [0.37, 0.37],
        [0.99, 0.99],
      ] as const) {
        const options = { minMoveBps: own * ratio, ...(minProbability === undefined ? {} : { minProbability }) };
        const { mark, detail } = await answer({ head: { cut: 0.2 } }, tickRequest(), options);
        const { probability, decision_threshold: told } = detail.opportunity;
        expect(told).to.equal(cut);
        if (!codesOf(detail).includes('threshold_untrained')) expect(mark === 1).to.equal((probability as number) >= cut);
      }
  });

  it('a head that abstains marks with the decision threshold of the caller', async () => {
    const fake: FakeOptions = { head: { cut: null }, answer: logits(3) };
    expect((await answer(fake)).mark).to.equal(null);
    expect((await answer(fake, tickRequest(), { minProbability: 0.5 })).mark).to.equal(1);
  });

  it('uses the head of the horizon and the default model', async () => {
    const { forecaster, rows } = fakeForecaster();
    for (const horizonS of [30, 31, 200, 1000]) await forecaster.forecast(tickRequest({ horizonS }));
    expect(rows.map(({ head }) => head)).to.deep.equal([0, 1, 2, 3]);
    expect(rows[0]?.modelId).to.equal('fake');
  });

  it('uses the threshold of the caller if there is one', async () => {
    const own = (await answer()).detail.opportunity.min_move_bps as number;
    const low = await answer({}, tickRequest(), { minMoveBps: own / 2 });
    const high = await answer({}, tickRequest(), { minMoveBps: own * 2 });
    expect((low.detail.logit?.baseline ?? 0) - (high.detail.logit?.baseline ?? 0)).to.be.closeTo(2 * Math.LN2, 1e-9);
  });

  it('computes no detail unless requested, and reports the duration of each stage', async () => {
    const { forecaster, rows } = fakeForecaster();
    const forecast = await forecaster.forecast(tickRequest(), { parseMs: 3 });
    expect(forecast.detail).to.equal(null);
    expect(rows).to.have.lengthOf(1);
    expect(Object.keys(forecast.stagesMs ?? {})).to.deep.equal(['parse', 'features', 'network', 'rules']);
    expect(forecast.stagesMs?.parse).to.equal(3);
  });

  it('keeps overlapping requests apart', async () => {
    const requests = [1, 2, 3, 4].map((seed) => tickRequest({ seed, horizonS: seed * 20 }));
    const alone = await Promise.all(requests.map((request) => answer({}, request)));
    const { forecaster } = fakeForecaster();
    const together = await Promise.all(requests.map((request) => forecaster.forecast(request, { detail: true })));
    expect(together.map(({ mark, detail }) => ({ mark, detail }))).to.deep.equal(alone);
  });

  it('returns a direction only if the head passed the promotion gate and the mark is 1', async () => {
    const up = logits(5, 0, 2);
    expect((await answer({ answer: up })).detail.direction.called).to.equal(null);
    const passed = { directionPassed: true };
    expect((await answer({ answer: up, head: passed })).detail.direction.called).to.equal('up');
    expect((await answer({ answer: logits(5, 0, -2), head: passed })).detail.direction.called).to.equal('down');
    expect((await answer({ answer: logits(-50, 0, 2), head: passed })).detail.direction.called).to.equal(null);
    expect((await answer({ answer: logits(5, 0, 0), head: passed })).detail.direction.called).to.equal(null);
  });

  describe('returns the reason of every null', () => {
    const base = tickRequest();
    const { timesUs, prices } = base.series;
    const withSeries = (times: Float64Array, values: Float64Array): TickRequest => ({
      series: { timesUs: times, prices: values },
      futureUs: (times.at(-1) as number) + 30e6,
    });
    const spiked = prices.slice();
    spiked[250] = (spiked[250] as number) * 1.5;
    const stamp = timesUs[0] as number;
    const cases: [NullReason, FakeOptions, TickRequest][] = [
      ['below_threshold', { answer: logits(-50) }, base],
      ['vetoed_by_rule', {}, withSeries(timesUs, spiked)],
      ['head_abstains', { head: { cut: null } }, base],
      ['horizon_untrained', { trained: { horizonS: [31, 60] } }, base],
      ['horizon_untrained', { trained: { horizonToWindow: [0, 0.001] } }, base],
      ['density_untrained', { trained: { medianGapS: [5, 6] } }, base],
      ['threshold_untrained', { trained: { logThetaRatio: [-1, -0.1] } }, base],
      ['too_few_distinct_ticks', {}, withSeries(timesUs.slice(0, 20), prices.slice(0, 20))],
      [
        'constant_price',
        {},
        withSeries(
          timesUs,
          prices.map(() => 7),
        ),
      ],
    ];
    for (const [code, fake, request] of cases) {
      it(code, async () => {
        const { mark, detail } = await answer(fake, request);
        expect(mark).to.equal(null);
        expect(codesOf(detail)).to.deep.equal([code]);
      });
    }

    it('a horizon outside the trained ones: not rounded', async () => {
      const request = { ...base, futureUs: base.series.timesUs.at(-1)! + 259_200e6 };
      const { detail } = await answer({ trained: { horizonS: [5, 2700] } }, request);
      expect(detail.reasons[0].text).to.equal('the horizon of 259200 s is outside 5 to 2700 s');
    });

    it('all ticks at one timestamp: refused with its reason, without a probability', async () => {
      const { mark, detail } = await answer(
        {},
        withSeries(
          timesUs.map(() => stamp),
          prices,
        ),
      );
      expect(mark).to.equal(null);
      expect(codesOf(detail)[0]).to.be.oneOf(['window_without_duration', 'too_few_distinct_ticks']);
      expect(detail.opportunity.probability).to.equal(null);
      expect(detail.logit).to.equal(null);
      expect(detail.input.ticks).to.equal(500);
    });

    it('the first one if no detail is requested', async () => {
      const mark = await fakeForecaster({ answer: logits(50) }).forecaster.forecast(base);
      expect([mark.mark, mark.reason]).to.deep.equal([1, null]);
      for (const [code, fake, request] of cases) {
        const { reason, detail } = await fakeForecaster(fake).forecaster.forecast(request);
        expect([reason, detail], code).to.deep.equal([code, null]);
      }
      const both: FakeOptions = { answer: logits(-50), trained: { horizonS: [31, 60], medianGapS: [5, 6] } };
      expect((await fakeForecaster(both).forecaster.forecast(base)).reason).to.equal('horizon_untrained');
      expect((await fakeForecaster(both).forecaster.forecast(withSeries(timesUs, spiked))).reason).to.equal('vetoed_by_rule');
    });

    it('all that apply at once, the veto with its rule', async () => {
      const fake: FakeOptions = { answer: logits(-50), trained: { horizonS: [31, 60], medianGapS: [5, 6] } };
      const { detail } = await answer(fake, withSeries(timesUs, spiked));
      expect(codesOf(detail)).to.deep.equal(['vetoed_by_rule', 'horizon_untrained', 'density_untrained', 'below_threshold']);
      expect(detail.reasons[0]?.rule).to.equal('bad-print');
      expect(detail.opportunity.probability).to.be.a('number');
    });
  });

  describe('counterfactual', () => {
    // The fake baseline is ln(sigma_H / theta): a larger threshold is less likely.
    const head = { cut: 0.5 };
    const steep = (change: number) => (row: { baseline: number }) => ({
      baselineLogit: 5 * (row.baseline - change),
      residualLogit: 0,
      directionLogit: 0,
    });

    for (const [name, change] of [
      ['a larger one for a mark', -1],
      ['a smaller one for a null', 1],
    ] as const) {
      it(`returns a threshold that changes the answer: ${name}`, async () => {
        const fake = { head, answer: steep(change) };
        const { mark, detail } = await answer(fake);
        const bps = detail.counterfactual?.min_move_bps as number;
        const own = detail.opportunity.min_move_bps as number;
        expect(mark).to.equal(change < 0 ? 1 : null);
        expect(bps > own).to.equal(change < 0);
        expect((await answer(fake, tickRequest(), { minMoveBps: bps })).mark).to.equal(change < 0 ? null : 1);
        // Five percent of the way back, the answer is still the old one: the change was located closely.
        const before = await answer(fake, tickRequest(), { minMoveBps: bps * (own / bps) ** 0.05 });
        expect(before.mark).to.equal(mark);
      });
    }

    it('is null if no threshold changes the answer, and takes few rows', async () => {
      const { forecaster, rows } = fakeForecaster({ answer: logits(-50) });
      const { detail } = await forecaster.forecast(tickRequest(), { detail: true });
      expect(detail?.counterfactual).to.equal(null);
      expect(rows.length).to.be.within(2, 13);
      const turning = fakeForecaster({ head, answer: steep(-1) });
      await turning.forecaster.forecast(tickRequest(), { detail: true });
      expect(turning.rows.length).to.be.within(2, 13);
    });

    it('is not computed if a threshold cannot change the answer', async () => {
      const { forecaster, rows } = fakeForecaster({ trained: { horizonS: [31, 60] } });
      const { detail } = await forecaster.forecast(tickRequest(), { detail: true });
      expect(detail?.counterfactual).to.equal(null);
      expect(rows).to.have.lengthOf(1);
    });
  });

  it('reports how the input was modified', async () => {
    const base = tickRequest();
    const timesUs = base.series.timesUs.map((timeUs, i) => (i < 250 ? timeUs - 7200e6 : timeUs) + (i === 499 ? 7 : 0));
    const { detail } = await answer({ synthetic: true }, { series: { timesUs, prices: base.series.prices }, futureUs: base.futureUs });
    expect(detail.input.notes).to.include.members(['session_gap_cut', 'sub_ms_cut', 'cost_from_prices_alone', 'model_is_synthetic']);
    expect(detail.input.cost_bps).to.be.above(0);
    expect(detail.horizon_ms).to.be.closeTo(30000, 1);
  });

  it('says that the version was trained on the ticks, of refused windows too, where the caller knows it', async () => {
    const { series, futureUs } = tickRequest();
    const still = { series: { ...series, prices: series.prices.map(() => 1) }, futureUs };
    for (const request of [tickRequest(), still]) {
      for (const seenInTraining of [true, false]) {
        const { notes } = (await answer({}, request, { seenInTraining })).detail.input;
        expect(notes.includes('seen_in_training')).to.equal(seenInTraining);
      }
    }
  });

  it('says that the version was trained on the ticks if its sample contains them', async () => {
    const request = tickRequest();
    const seen = { includes: ({ timesUs }: TickSeries) => timesUs === request.series.timesUs } as unknown as SeenTicks;
    for (const [ticks, isSeen] of [
      [request, true],
      [tickRequest(), false],
    ] as const) {
      const { detail } = await answer({ seen }, ticks);
      const found = await fakeForecaster({ seen }).forecaster.forecast(ticks);
      expect([detail.input.notes.includes('seen_in_training'), found.isSeen!()]).to.deep.equal([isSeen, isSeen]);
    }
  });

  describe('refuses', () => {
    it('a model that is not loaded', async () => {
      const error = await refusal(fakeForecaster().forecaster.forecast(tickRequest(), { model: 'other' }));
      expect(error.code).to.equal('model.unknown');
    });

    it('no ticks, too many ticks, no horizon', async () => {
      const { forecaster } = fakeForecaster();
      const request = tickRequest();
      const none = { series: { timesUs: new Float64Array(0), prices: new Float64Array(0) }, futureUs: 1 };
      const last = { ...request, futureUs: request.series.timesUs.at(-1) as number };
      for (const wrong of [none, tickRequest({ count: 3001 }), last])
        expect((await refusal(forecaster.forecast(wrong))).code).to.equal('request.invalid');
    });

    it('a network that returns NaN, and rethrows the errors of the host', async () => {
      expect((await refusal(answer({ answer: logits(NaN) }))).code).to.equal('inference.failed');
      const thrown = new ServiceError('inference.failed', 'lost');
      const throwing = (): never => {
        throw thrown;
      };
      expect(await refusal(answer({ answer: throwing }))).to.equal(thrown);
    });
  });
});
