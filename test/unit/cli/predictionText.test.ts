import { expect } from 'chai';
import { predictionText, type Prediction } from '../../../src/cli/predictionText.ts';

const START_US = Date.UTC(2024, 0, 2, 9) * 1000;

const PREDICTION: Prediction = {
  file: 'ticks.csv',
  rows: 700,
  series: { timesUs: Float64Array.of(START_US, START_US + 2_000_000), prices: Float64Array.of(100, 101) },
  futureUs: START_US + 62_000_000,
  mark: null,
  detail: {
    model: { id: 'base-1', head: 'h3m' },
    horizon_ms: 60_000,
    opportunity: { probability: 0.21, decision_threshold: 0.4, min_move_bps: 2.5 },
    direction: { probability_up: 0.5, called: null },
    reasons: [{ code: 'below_threshold', text: 'the probability 0.21 is below the decision threshold 0.4' }],
    logit: { baseline: -1.2, network: 0.1, rules: 0.05, total: -1.05 },
    ruleset: { id: 'base', hash: 'abc' },
    rules: [{ id: 'support', text: 'support is near', truth: [0.2, 0.4], contribution: 0.05, literals: [] }],
    levels: [{ price: 100.5, kind: 'support', touches: 3 }],
    counterfactual: { min_move_bps: 1.75 },
    input: { ticks: 2, distinct_ticks: 2, median_gap_ms: 2000, cost_bps: 1, volatility_bps_per_sqrt_s: 0.6, notes: ['equal_stamps'] },
    timings_ms: { parse: 0, features: 0.1, network: 1, rules: 0.1, total: 1.2 },
  },
};

describe('predictionText', () => {
  it('gives the answer with its reasons', () => {
    const text = predictionText(PREDICTION, false);
    expect(text).to.include('the last 2 of 700 ticks, 2024-01-02 09:00:00.000 to 2024-01-02 09:00:02.000');
    expect(text).to.include('2024-01-02 09:01:02.000 (1m ahead): null, none identified');
    expect(text).to.include('more than 2.5 bps: probability 0.21, decision threshold 0.4');
    expect(text).to.include('null because below_threshold').and.not.include('Logit');
    expect(predictionText({ ...PREDICTION, mark: 1 }, false)).to.include('1, identified');
  });

  it('explains with logits that are printed with their signs, rules, levels and what turns it', () => {
    const text = predictionText(PREDICTION, true);
    expect(text).to.include('baseline -1.2000, network +0.1000, rules +0.0500, total -1.0500');
    expect(text).to.include('support [0.2, 0.4] +0.0500  support is near');
    expect(text).to.include('support 100.5 (3 touches)').and.include('--min-move-bps 1.75').and.include('equal_stamps');
  });

  it('says "none" of a window that has no probability', () => {
    const detail = {
      ...PREDICTION.detail!,
      opportunity: { probability: null, decision_threshold: null, min_move_bps: null },
      logit: null,
      counterfactual: null,
    };
    expect(predictionText({ ...PREDICTION, detail }, true))
      .to.include('probability none')
      .and.include('Logit: none');
  });
});
