import { expect } from 'chai';
import { costRemark, describeAnswer, noteText, percentText } from '../../../src/console/answer/describeAnswer.ts';
import { answerCards } from '../../../src/console/answer/figures.ts';
import { type Step, waterfallOf } from '../../../src/console/answer/waterfall.ts';
import type { ForecastDetail } from '../../../src/contract/forecastDetail.ts';
import { INPUT_NOTES } from '../../../src/contract/reasons.ts';

const rule = (id: string, contribution: number): ForecastDetail['rules'][number] => ({
  id,
  text: `${id} holds`,
  truth: [1, 1],
  contribution,
  literals: [],
});

const DETAIL: ForecastDetail = {
  model: { id: 'base', head: 'h3m' },
  horizon_ms: 60_000,
  opportunity: { probability: 1 / (1 + Math.exp(0.5)), decision_threshold: 0.3, min_move_bps: 3.29 },
  direction: { probability_up: 0.49, called: null },
  status: 'identified',
  reasons: [],
  logit: { baseline: -1, network: 0.4, rules: 0.1, total: -0.5 },
  ruleset: { id: 'base-2', hash: '0' },
  rules: [rule('squeeze', -0.2), rule('quiet_one', 0), rule('momentum_slope', 0.3)],
  levels: [],
  counterfactual: { min_move_bps: 7.99 },
  input: { ticks: 500, distinct_ticks: 456, median_gap_ms: 139, cost_bps: 1.5, volatility_bps_per_sqrt_s: 0.65, notes: [] },
  timings_ms: { parse: 0, features: 0, network: 1, rules: 1, total: 2 },
};

describe('the answer in words', () => {
  it('says the move, the time and both probabilities, and no direction that is not called', () => {
    const { headline, sentences } = describeAnswer(1, DETAIL);
    expect(headline).to.equal('An unusually large move within 1 min: 38 %');
    expect(sentences).to.deep.equal([
      'The model gives 38 % to a move of more than 3.29 bps, up or down, within 1 min.',
      'Windows are marked from 30 % on, so this one is: an unusually large move is expected for this market.',
      'With a threshold raised to about 7.99 bps the answer would change to no mark.',
    ]);
  });

  it('says the probability of a move beyond a cost that was named, and advises no threshold below it', () => {
    const { headline, sentences } = describeAnswer(1, DETAIL, true, 0.12);
    expect(headline).to.equal('Beyond your 3.29 bps within 1 min: 38 %, usually 12 %');
    expect(sentences.slice(0, 2)).to.deep.equal([
      'The model gives 38 % to a move beyond your cost of 3.29 bps, up or down, within 1 min.',
      'Windows are marked from 30 % on, so this one is.',
    ]);
    const lower: ForecastDetail = {
      ...DETAIL,
      opportunity: { ...DETAIL.opportunity, decision_threshold: 0.5 },
      counterfactual: { min_move_bps: 2 },
    };
    expect(describeAnswer(null, lower, true).sentences.join(' ')).to.not.include('lowered');
    expect(describeAnswer(null, lower).sentences.join(' ')).to.include('lowered to about 2 bps');
    for (const [notes, isAdvised] of [
      [[], false],
      [['cost_from_prices_alone'], true],
    ] as const) {
      const known = { ...lower, input: { ...lower.input, cost_bps: 2.5, notes: [...notes] } };
      expect(describeAnswer(null, known).sentences.join(' ').includes('lowered'), notes.join()).to.equal(isAdvised);
      expect(costRemark(known)).to.equal(isAdvised ? 'estimated from prices: name your own' : 'median spread of your quotes');
    }
  });

  it('says why nothing is marked where the probability alone would do', () => {
    const { headline, sentences } = describeAnswer(null, { ...DETAIL, reasons: [{ code: 'vetoed_by_rule', text: 'A veto.' }] });
    expect(headline).to.equal('An unusually large move within 1 min: 38 %');
    expect(sentences[1]).to.equal('Windows are marked from 30 % on, but this one is not.');
  });

  it('says the answer in a line, with the reason of a rule in words in place of its id', () => {
    expect(describeAnswer(1, DETAIL).line).to.equal('More than 3.29 bps, up or down. Marked: marks begin at 30 %.');
    const stale: ForecastDetail = {
      ...DETAIL,
      reasons: [{ code: 'vetoed_by_rule', rule: 'veto_stale', text: 'vetoed by veto_stale: the price last changed 240 s ago' }],
      rules: [{ ...rule('veto_stale', 0), text: 'the price last changed 240 s ago' }],
    };
    expect(describeAnswer(null, stale, true).line).to.equal('Not marked: the price last changed 240 s ago.');
    const silent = { ...DETAIL, reasons: [{ code: 'head_abstains' as const, text: 'the head h3m has no decision threshold' }] };
    expect(describeAnswer(null, silent).line).to.match(/ Not marked: the model never gives a mark at this horizon and threshold\.$/);
  });

  it('has five cards: probability, threshold with prices, cost, horizon, last tick with its age', () => {
    const timeUs = Date.UTC(2024, 0, 2, 9, 30) * 1000;
    const cards = (minMoveBps: number | undefined, ageS: number) =>
      answerCards(
        DETAIL,
        { minMoveBps },
        { timeUs, price: 100, write: (price) => price.toFixed(2), nowMs: timeUs / 1000 + 1000 * ageS, unit: 'tick' },
      );
    expect(cards(undefined, 240)).to.deep.equal([
      ['Probability', '38 %', '27 % by volatility alone'],
      ['Threshold', '3.29 bps', '▼ 99.97 ▲ 100.03'],
      ['Your cost', '1.5 bps', 'median spread of your quotes'],
      ['Horizon', '1 min', 'until 09:31:00 UTC'],
      ['Last tick', '4 min old', '09:30:00 UTC'],
    ]);
    expect(cards(3.29, 1e6).slice(2)).to.deep.equal([
      ['Your cost', '3.29 bps', 'your own threshold'],
      ['Horizon', '1 min', 'until 09:31:00 UTC'],
      ['Last tick', '09:30:00', '2024-01-02 UTC'],
    ]);
  });

  it('claims no probability where none was given', () => {
    const refused: ForecastDetail = {
      ...DETAIL,
      logit: null,
      opportunity: { probability: null, decision_threshold: null, min_move_bps: null },
      counterfactual: null,
      direction: { probability_up: null, called: null },
    };
    const last = { timeUs: 0, price: 100, write: String, nowMs: 0, unit: 'bar' } as const;
    for (const [code, remedy] of [
      ['density_untrained', /^Use bars/],
      ['horizon_untrained', /^Choose a shorter horizon/],
      ['a_new_code', /^–$/],
    ] as const) {
      const [[, value], , , , [name]] = answerCards({ ...refused, reasons: [{ code: code as never, text: '' }] }, {}, last);
      expect([value, name]).to.satisfy(([text, of]: string[]) => remedy.test(text) && of === 'Last bar');
    }
    expect(describeAnswer(null, refused).sentences).to.deep.equal([
      'No probability can be given for a move over the threshold within 1 min.',
    ]);
  });

  it('has a sentence for every note of the contract, which is not the code', () => {
    for (const code of Object.keys(INPUT_NOTES)) expect(noteText(code)).to.match(/^[A-Z].* .*\.$/);
    expect(noteText('a_new_note')).to.equal('a new note');
  });

  it('says what the estimated cost is for trades and for mid prices, and calls it a lower bound for neither', () => {
    for (const text of [noteText('cost_from_prices_alone'), INPUT_NOTES.cost_from_prices_alone])
      expect(text).to.include('about the spread for trades, far below it for mid prices').and.to.not.include('lower bound');
  });

  it('never rounds a chance to none or to certainty', () => {
    expect([0, 0.0004, 0.004, 0.42, 0.996, 0.9999, 1].map(percentText)).to.deep.equal([
      '0 %',
      'under 0.1 %',
      '0.4 %',
      '42 %',
      '99.6 %',
      'over 99.9 %',
      '100 %',
    ]);
  });
});

describe('the waterfall', () => {
  it('ends exactly at the final log-odds and probability, the largest rule first', () => {
    const waterfall = waterfallOf(DETAIL)!;
    expect(waterfall.steps.map(({ name }) => name)).to.deep.equal(['volatility baseline', 'network', 'momentum slope', 'squeeze', 'total']);
    const [, , , last, total] = waterfall.steps;
    expect(last!.to).to.be.closeTo(DETAIL.logit!.total, 1e-12);
    expect(total!.probability).to.be.closeTo(DETAIL.opportunity.probability!, 1e-12);
    waterfall.steps.slice(1, -1).forEach((step, at) => expect(step.from).to.equal(waterfall.steps[at].to));
  });

  it('keeps zero, every bar and the decision within its span, and the silent rules apart', () => {
    const { span, decision, steps, quiet } = waterfallOf(DETAIL)!;
    expect(decision).to.be.closeTo(Math.log(0.3 / 0.7), 1e-12);
    for (const place of [0, decision!, ...steps.flatMap(({ from, to }) => [from, to])]) expect(place).to.be.within(...span);
    expect(quiet.map(({ name }) => name)).to.deep.equal(['quiet one']);
  });

  it('has room for a decision beyond every bar', () => {
    const { span, decision } = waterfallOf({ ...DETAIL, opportunity: { ...DETAIL.opportunity, decision_threshold: 0.9 } })!;
    expect(span[1]).to.equal(decision);
  });

  it('is none where the network was not asked', () => {
    expect(waterfallOf({ ...DETAIL, logit: null })).to.equal(null);
  });

  it('shows the weights that a series has learned as a step of their own, in words', () => {
    const weights = { intercept: -0.1, slope: 0.01, prof: 0.42, prof_day: 0.3, hours: -0.2, week: 0 };
    const memory = { used: true, reason: null, since: null, outcomes: 400, inputs: null, own: { outcomes: 312, part: 0.25, weights } };
    const logit = { ...DETAIL.logit!, memory: 0.4, total: DETAIL.logit!.total + 0.4 };
    const { steps } = waterfallOf({ ...DETAIL, logit, memory })!;
    const [known, own] = steps.filter(({ kind }) => kind === 'memory') as [Step, Step];
    expect(known.contribution).to.be.closeTo(0.15, 1e-12);
    expect([own.name, own.contribution, own.from]).to.deep.equal(['weights of the series', 0.25, known.to]);
    expect(own.text).to.equal(
      'Weights that this series has learned from 312 of its own outcomes. More weight on: the time of day ahead, compared with the last hour (+0.42); ' +
        'the time of day ahead, compared with the whole day (+0.30). Less weight on: the volatility of the last four hours (−0.20). ' +
        'Moves are less frequent than the model expects (−0.10).',
    );
    const begun = waterfallOf({ ...DETAIL, logit, memory: { ...memory, own: { outcomes: 0, part: 0, weights: {} } } })!;
    expect(begun.steps.map(({ text }) => text)).to.include('The weights with which a series begins.');
  });
});
