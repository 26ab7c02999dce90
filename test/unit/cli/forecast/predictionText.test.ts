import { expect } from 'chai';
import { predictionText, type Prediction } from '../../../../src/cli/forecast/forecastText.ts';

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
    status: 'none',
    reasons: [{ code: 'below_threshold', text: 'the probability 0.21 is below the decision threshold 0.4' }],
    logit: { baseline: -1.2, network: 0.1, rules: 0.05, total: -1.05 },
    ruleset: { id: 'base', hash: 'abc' },
    rules: [{ id: 'support', text: 'support is near', truth: [0.2, 0.4], contribution: 0.05, literals: [] }],
    levels: [{ price: 100.5, kind: 'support', touches: 3 }],
    counterfactual: { min_move_bps: 1.75 },
    input: {
      ticks: 2,
      distinct_ticks: 2,
      median_gap_ms: 2000,
      cost_bps: 1,
      volatility_bps_per_sqrt_s: 0.6,
      notes: ['equal_stamps', 'cost_from_prices_alone'],
    },
    timings_ms: { parse: 0, features: 0.1, network: 1, rules: 0.1, total: 1.2 },
  },
};

describe('predictionText', () => {
  it('gives the answer with its reasons', () => {
    const text = predictionText(PREDICTION, { explain: false });
    expect(text).to.include('the last 2 of 700 ticks, 2024-01-02 09:00:00.000 to 2024-01-02 09:00:02.000');
    expect(text).to.include('2024-01-02 09:01:02.000 (1m ahead): null, none identified');
    const chance = 'has a probability of 0.21, marked from 0.4';
    expect(text).to.include(`an unusually large move is not expected for this market: more than 2.5 bps ${chance}`);
    const marked = { ...PREDICTION, detail: { ...PREDICTION.detail!, status: 'identified' as const } };
    expect(predictionText(marked, { explain: false })).to.include('an unusually large move is expected for this market');
    const abstained = { ...PREDICTION, detail: { ...PREDICTION.detail!, status: 'abstained' as const } };
    expect(predictionText(abstained, { explain: false })).to.include(`  a move of more than 2.5 bps ${chance}`);
    expect(text).to.include('null because below_threshold').and.not.include('Logit');
    const input = { ...PREDICTION.detail!.input, cost_bps: 3, notes: ['threshold_below_cost' as const] };
    const below = predictionText({ ...PREDICTION, detail: { ...PREDICTION.detail!, input } }, { explain: true });
    expect(below).to.include('less than the spread of 3 bps').and.include('median spread 3 bps').and.not.include('--min-move-bps 1.75');
    const seen = { ...PREDICTION.detail!, input: { ...PREDICTION.detail!.input, notes: ['seen_in_training' as const] } };
    expect(text).to.not.include('trained on');
    expect(predictionText({ ...PREDICTION, detail: seen }, { explain: false })).to.include('  The version was trained on these ticks');
    expect(predictionText({ ...PREDICTION, mark: 1 }, { explain: false })).to.include('1, identified');
  });

  it('explains with logits that are printed with their signs, rules, levels and what turns it', () => {
    const text = predictionText(PREDICTION, { explain: true, allRules: true });
    expect(text).to.include('baseline -1.2000, network +0.1000, rules +0.0500, total -1.0500');
    expect(text).to.include('support [0.2, 0.4] +0.0500  support is near');
    expect(text).to.include('support 101 (3 touches)').and.include('--min-move-bps 1.75').and.include('equal_stamps');
    expect(text).to.include('cost estimated from prices alone 1 bps');
  });

  it('names the cost of the caller, and advises no threshold below it', () => {
    const text = predictionText({ ...PREDICTION, isOwn: true }, { explain: true });
    expect(text).to.include('a move beyond your cost of 2.5 bps has a probability of 0.21');
    expect(text).to.include('Turned by: --min-probability 0.21 or less').and.not.include('--min-move-bps');
    const higher = { ...PREDICTION.detail!, counterfactual: { min_move_bps: 3 } };
    expect(predictionText({ ...PREDICTION, isOwn: true, detail: higher }, { explain: true })).to.include('--min-move-bps 3');
  });

  it('advises the smallest probability that turns the answer where a threshold that does would not pay', () => {
    const cases = [
      [0.30349, 'none', '--min-probability 0.3034 or less'],
      [0.009, 'none', 'no threshold that pays for the cost'],
      [0.6, 'identified', '--min-probability 0.6001 or more'],
      [0.995, 'identified', 'no threshold that pays for the cost'],
      [0.6, 'abstained', 'no threshold that pays for the cost'],
    ] as const;
    const input = { ...PREDICTION.detail!.input, cost_bps: 9, notes: ['threshold_below_cost' as const] };
    for (const [probability, status, words] of cases) {
      const detail = { ...PREDICTION.detail!, status, input, opportunity: { ...PREDICTION.detail!.opportunity, probability } };
      const counterfactual = { min_move_bps: 3 };
      expect(predictionText({ ...PREDICTION, detail: { ...detail, counterfactual } }, { explain: true })).to.include(
        `Turned by: ${words}\n`,
      );
    }
  });

  it('prints the rules that are true or forbid a mark, the others on request', () => {
    const rule = (id: string, truth: readonly [number, number], contribution = 0) => ({
      id,
      text: `${id} it is`,
      truth,
      contribution,
      literals: [],
    });
    const rules = [rule('true', [0.5, 1]), rule('false', [0, 0.4], 0.02), rule('unknown', [0, 1], -0.03), rule('forbids', [0.3, 0.9])];
    const reasons = [{ code: 'abstained_by_rule' as const, rule: 'forbids', text: 'forbids cannot be ruled out' }];
    const prediction = { ...PREDICTION, detail: { ...PREDICTION.detail!, rules, reasons } };
    const text = predictionText(prediction, { explain: true });
    expect(text).to.include('true it is').and.include('forbids it is').and.not.include('false it is').and.not.include('unknown it is');
    expect(text).to.include('2 other rules are not true and add -0.0100: --all-rules');
    const all = predictionText(prediction, { explain: true, allRules: true });
    expect(all).to.include('false it is').and.include('unknown it is').and.not.include('--all-rules');
  });

  it('rounds levels to the decimals of the prices, in the sentences of rules too, and counts one of anything as one', () => {
    const level = { price: 100.46999999999998, kind: 'support' as const, touches: 1 };
    const rules = [
      { id: 'support', text: 'support at 100.47 or 1100.47, and 100.12346', truth: [1, 1] as const, contribution: 0, literals: [] },
    ];
    const detail = { ...PREDICTION.detail!, levels: [level, { ...level, price: 100.123456 }], rules };
    const series = { timesUs: PREDICTION.series.timesUs, prices: Float64Array.of(100.5, 101.25) };
    const text = predictionText({ ...PREDICTION, rows: 1, series, detail }, { explain: true });
    expect(text).to.include('Levels: support 100.47 (1 touch), support 100.12 (1 touch)');
    expect(text).to.include('support at 100.47 or 1100.47, and 100.12\n').and.include('of 1 tick, ');
  });

  it('leaves out the threshold of a window that has none', () => {
    const detail = {
      ...PREDICTION.detail!,
      opportunity: { probability: null, decision_threshold: null, min_move_bps: null },
      logit: null,
      counterfactual: null,
    };
    expect(predictionText({ ...PREDICTION, detail }, { explain: true }))
      .to.include('Logit: none')
      .and.not.include('a move of more than');
  });
});
