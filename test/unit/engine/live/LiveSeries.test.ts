import { expect } from 'chai';
import { followTouches, labelOrigin } from '../../../../src/engine/features/labelOrigin.ts';
import { Touches } from '../../../../src/engine/features/Touches.ts';
import { seriesBaselines } from '../../../../src/engine/scoring/SeriesBaselines.ts';
import type { ForecastSummary } from '../../../../src/engine/forecast/Forecaster.ts';
import {
  bucketNameOf,
  type DueForecast,
  type ForecastPlan,
  LiveSeries,
  type LiveOutcome,
  OutcomeBudget,
} from '../../../../src/engine/live/LiveSeries.ts';
import { SeriesMemory } from '../../../../src/engine/memory/SeriesMemory.ts';
import { EMPTY_TALLY, mergeTallies, type Tally } from '../../../../src/engine/live/score.ts';
import type { TickSeries } from '../../../../src/ticks/TickSeries.ts';
import { walkTicks } from '../../../support/walkTicks.ts';

const PLAN: ForecastPlan = { id: '10s', horizonMs: 10_000, everyMs: 5000, options: {} };
const SUMMARY: ForecastSummary = {
  model: 'base',
  probability: 0.6,
  baselineProbability: 0.3,
  decisionThreshold: 0.5,
  minMoveBps: 0.1,
  reasons: [],
  medianGapS: 0.4,
};

type Run = {
  readonly series: LiveSeries;
  readonly due: DueForecast[];
  readonly outcomes: LiveOutcome[];
  readonly recorded: () => Tally;
};

/** A series whose forecasts are answered by `answer`; undefined: never. */
function open(
  plans: readonly ForecastPlan[],
  answer: (due: DueForecast) => ForecastSummary | undefined = () => SUMMARY,
  most = 4096,
  memory?: SeriesMemory,
): Run {
  const due: DueForecast[] = [];
  const outcomes: LiveOutcome[] = [];
  let tally = EMPTY_TALLY;
  const sink = {
    due(forecast: DueForecast): void {
      due.push(forecast);
      const summary = answer(forecast);
      if (summary !== undefined) series.answer(forecast, { mark: 1, summary });
    },
    outcome: (outcome: LiveOutcome) => void outcomes.push(outcome),
    tally: (_plan: ForecastPlan, _model: string, change: Tally) => void (tally = mergeTallies(tally, change)),
  };
  const series = new LiveSeries(plans, sink, new OutcomeBudget(most), { memory });
  return { series, due, outcomes, recorded: () => tally };
}

function pushAll({ series }: Run, { timesUs, prices }: TickSeries, to = timesUs.length): void {
  for (let i = 0; i < to; i++) series.push(timesUs[i], prices[i]);
}

describe('LiveSeries', () => {
  const ticks = walkTicks({ seed: 5, count: 5000 });

  it('makes a forecast at the first tick of each multiple of its interval, from 199 ticks on, of all ticks up to that one', () => {
    const run = open([PLAN]);
    pushAll(run, ticks);
    const expected: number[] = [];
    for (let i = 198; i < ticks.timesUs.length; i++)
      if (Math.floor(ticks.timesUs[i] / 5e6) > Math.floor(ticks.timesUs[i - 1] / 5e6)) expected.push(i);
    expect(run.due.map(({ window }) => window.timesUs.at(-1))).to.deep.equal(expected.map((i) => ticks.timesUs[i]));
    run.due.forEach(({ window, n, futureUs }, k) => {
      const end = expected[k] + 1;
      expect(n).to.equal(k);
      expect(futureUs).to.equal(ticks.timesUs[end - 1] + 10e6);
      expect(window.timesUs).to.deep.equal(ticks.timesUs.slice(Math.max(0, end - 500), end));
      expect(window.prices).to.deep.equal(ticks.prices.slice(Math.max(0, end - 500), end));
    });
  });

  it('compares the prices of touch with bid or ask, by what waits there', () => {
    const spreadsBps = ticks.prices.map((_, i) => 0.2 + (i % 7) / 10);
    const quotes = { ...ticks, spreadsBps };
    for (const touchBy of ['limit', 'stop', 'mid', undefined] as const) {
      const last = ticks.prices[2000];
      const touch = [1, -1].map((side) => last * Math.exp(side * 4e-5));
      const run = open([{ ...PLAN, options: { touch, touchBy } }]);
      for (const [i, timeUs] of ticks.timesUs.entries()) run.series.push(timeUs, ticks.prices[i], spreadsBps[i]);
      const of = run.outcomes.map(({ n, touches }) => {
        const origin = ticks.timesUs.indexOf(run.due[n].window.timesUs.at(-1)!);
        const label = labelOrigin(ticks, origin, 10, 1800);
        const expected = new Touches(ticks.prices[origin], touch, touchBy, spreadsBps[origin]);
        if (label.status === 'ok') followTouches(quotes, label, expected);
        return [touches!.touched, expected.touched];
      });
      expect(of.map(([found]) => found)).to.deep.equal(of.map(([, expected]) => expected));
      expect(new Set(of.map(([found]) => found.join())).size, 'some are reached, some not').to.be.above(2);
    }
  });

  it('does not say what was reached of a forecast of an earlier run, whose first prices it has not seen', () => {
    const [first] = ticks.prices;
    const run = open([{ ...PLAN, options: { touch: [first * 1.0001, first * 0.9999] } }]);
    run.series.push(ticks.timesUs[0], first);
    const originUs = ticks.timesUs[0];
    const restored = run.series.restore(run.series.scores()[0].plan, { originUs, summary: SUMMARY, isMarked: false });
    for (let i = 1; i < ticks.timesUs.length; i++) run.series.push(ticks.timesUs[i], ticks.prices[i]);
    const [outcome, later] = run.outcomes;
    expect([outcome.n, outcome.moved !== null, 'touches' in outcome]).to.deep.equal([restored, true, false]);
    expect(later.touches!.touched).to.have.length(2);
  });

  it('makes no forecast up to the time after which an earlier connection resumes', () => {
    const whole = open([PLAN]);
    pushAll(whole, ticks);
    const afterUs = whole.due[20].window.timesUs.at(-1)!;
    const resumed = open([
      { ...PLAN, resumeAfterUs: afterUs },
      { ...PLAN, id: 'all' },
    ]);
    pushAll(resumed, ticks);
    const of = (id: string) => resumed.due.filter(({ plan }) => plan.id === id);
    expect(of('10s').map(({ window }) => window)).to.deep.equal(whole.due.slice(21).map(({ window }) => window));
    expect(of('10s')[0]?.n).to.equal(0);
    expect(of('all')).to.have.length(whole.due.length);
  });

  it('uses up to 3,000 ticks for horizons beyond 60 s', () => {
    const run = open([{ ...PLAN, horizonMs: 60_001, everyMs: 'tick' }], () => undefined, 0);
    pushAll(run, ticks, 3500);
    expect(run.due.map(({ window }) => window.timesUs.length)).to.deep.equal(
      Array.from({ length: 3500 - 198 }, (_, k) => Math.min(3000, 199 + k)),
    );
    expect(run.due.at(-1)?.window.prices).to.deep.equal(ticks.prices.slice(500, 3500));
  });

  it('uses 500 ticks with the memory of the series, and more where these are shorter than a twentieth of the horizon', () => {
    const horizonS = (ticks.timesUs[3499] - ticks.timesUs[3000]) / 1e6;
    const lengthAt = (horizonMs: number): number => {
      const run = open([{ ...PLAN, horizonMs, everyMs: 'tick' }], () => undefined, 0, new SeriesMemory(0));
      pushAll(run, ticks, 3500);
      return run.due.at(-1)!.window.timesUs.length;
    };
    expect([lengthAt(60_001), lengthAt(19_900 * horizonS), lengthAt(20_100 * horizonS)]).to.deep.equal([500, 500, 3000]);
  });

  it('uses the number of ticks that a plan names, whatever the horizon', () => {
    const run = open([{ ...PLAN, ticks: 1000 }, { ...PLAN, id: '5m', horizonMs: 300_000, ticks: 700 }], () => undefined, 0); // prettier-ignore
    pushAll(run, ticks);
    expect(run.due.slice(-2).map(({ plan, window }) => [plan.id, window.timesUs.length])).to.deep.equal([['10s', 1000], ['5m', 700]]); // prettier-ignore
  });

  it('sends the outcomes in order, whether the forecast was answered before its end or after', () => {
    const early = open([PLAN]);
    pushAll(early, ticks);
    const late = open([PLAN], () => undefined);
    pushAll(late, ticks);
    expect(late.outcomes).to.deep.equal([]);
    for (const due of late.due) late.series.answer(due, { mark: 1, summary: SUMMARY });
    expect(late.outcomes).to.deep.equal(early.outcomes);
    expect(early.outcomes.length).to.be.greaterThan(100);
    expect(early.outcomes.map(({ n }) => n)).to.deep.equal(early.outcomes.map((_, n) => n));
    expect(late.recorded()).to.deep.equal(early.recorded());
    const { forecasts, outcomes, marks, hits, moved } = early.recorded();
    expect([outcomes, marks, hits]).to.deep.equal([early.outcomes.length, outcomes, moved]);
    expect(forecasts - outcomes)
      .to.equal(early.due.length - early.outcomes.length)
      .and.to.be.within(1, 3);
    expect(early.series.scores()[0]?.tally).to.deep.equal(early.recorded());
  });

  /** The horizon of 10 s contains both of its ends. */
  const overlaps: [everyMs: number, overlap: number][] = [[1000, 11], [2000, 6], [5000, 3], [20_000, 1]]; // prettier-ignore
  for (const [everyMs, overlap] of overlaps)
    it(`counts each squared difference as often as forecasts overlap, and marks of a horizon as one: ${overlap} for one every ${everyMs / 1000} s`, () => {
      const run = open([{ ...PLAN, everyMs }]);
      for (let i = 0; i < 400; i++) run.series.push(1.7e15 + i * 1e6, 1 + (i % 3) / 100);
      const { outcomes, marks, squaredDifferenceSum, markOverlapSum } = run.recorded();
      expect(outcomes).to.be.at.least(10);
      const rows = run.outcomes.map(({ n, moved }) => {
        const atMs = run.due[n].window.timesUs.at(-1)! / 1000;
        return { atMs, endMs: atMs + PLAN.horizonMs, version: SUMMARY.baselineProbability!, moved };
      });
      const differences = seriesBaselines(rows).map(({ baseline }, at) => {
        const y = rows[at].moved ? 1 : 0;
        return ((SUMMARY.probability! - y) ** 2 - (baseline - y) ** 2) ** 2;
      });
      expect(squaredDifferenceSum).to.be.closeTo(overlap * differences.reduce((sum, one) => sum + one), 1e-9);
      const inBlock = Math.max(1, 10_000 / everyMs);
      expect(markOverlapSum).to.equal(Math.floor(marks / inBlock) * inBlock ** 2 + (marks % inBlock) ** 2);
    });

  it('shows the outcomes of all plans before the forecasts that fall due at a tick, and each is the label of training', () => {
    // Microseconds within the millisecond of a tick count for nothing.
    const fine = { timesUs: ticks.timesUs.map((us, i) => us + ((i * 7) % 1000)), prices: ticks.prices };
    const events: string[] = [];
    const due: DueForecast[] = [];
    const sink = {
      due: (forecast: DueForecast) => {
        due.push(forecast);
        events.push('due');
        series.answer(forecast, { mark: null, summary: SUMMARY });
      },
      outcome: ({ plan, n, moveBps }: LiveOutcome) => {
        events.push('outcome');
        const origin = fine.timesUs.indexOf(due.find((one) => one.plan === plan && one.n === n)!.window.timesUs.at(-1)!);
        const label = labelOrigin(fine, origin, plan.horizonMs / 1000, 1800);
        expect(label.status === 'ok' && label.move * 1e4, `${plan.id}, number ${n}`).to.equal(moveBps);
      },
      tally: () => {},
    };
    const plans = [PLAN, { ...PLAN, id: '3s', horizonMs: 3000, everyMs: 1000 }, { ...PLAN, id: '20s', horizonMs: 20_000 }];
    const series = new LiveSeries(plans, sink, new OutcomeBudget(4096));
    const mixed = new Set<string>();
    for (let i = 0; i < 1500; i++) {
      series.push(fine.timesUs[i], fine.prices[i]);
      mixed.add(events.splice(0).join(' ').replace(/(\w+)( \1)+/g, '$1')); // prettier-ignore
    }
    expect([...mixed].sort()).to.deep.equal(['', 'due', 'outcome', 'outcome due']);
  });

  it('counts a move only above the threshold, not at it', () => {
    const late = open([PLAN], () => undefined);
    pushAll(late, ticks, 1000);
    for (const due of late.due) late.series.answer(due, { mark: null, summary: SUMMARY });
    const moves = late.outcomes.map(({ moveBps }) => Math.abs(moveBps!));
    for (const [factor, moved] of [
      [1, false],
      [1 - 1e-12, true],
    ] as const) {
      const run = open([PLAN], ({ n }) => ({ ...SUMMARY, minMoveBps: moves[n] * factor }));
      pushAll(run, ticks, 1000);
      expect(run.outcomes.map((one) => one.moved)).to.deep.equal(moves.map((move) => moved && move > 0));
    }
  });

  it('has no outcome for a forecast whose horizon contains a pause of the market, one without a threshold, or one over the limit', () => {
    const gap = open([PLAN]);
    pushAll(gap, ticks, 1000);
    const atPause = gap.due.length - gap.outcomes.length;
    const lastUs = ticks.timesUs[999];
    gap.series.push(lastUs + 3600e6, 1.5);
    expect(gap.outcomes.slice(-atPause).map(({ moved, moveBps, reason }) => [moved, moveBps, reason])).to.deep.equal(
      Array.from({ length: atPause }, () => [null, null, 'session_gap']),
    );
    expect(gap.recorded().unscored).to.equal(atPause);

    const refused = open([PLAN], () => ({ ...SUMMARY, probability: null, baselineProbability: null, minMoveBps: null, medianGapS: null }));
    pushAll(refused, ticks, 1000);
    expect(new Set(refused.outcomes.map(({ reason }) => reason))).to.deep.equal(new Set(['no_threshold']));
    expect(refused.recorded().outcomes).to.equal(0);

    const full = open([PLAN], undefined, 1);
    pushAll(full, ticks, 1000);
    const reasons = full.outcomes.map(({ reason }) => reason);
    expect(reasons).to.include('pending_limit').and.to.include(null);
  });

  it('says why an outcome is unknown, and what is known of it', () => {
    /** The first forecast, with 199 ticks a second apart; then its outcome: ticks at these seconds after it, with these factors of the price. */
    const outcomeOf = (summary: Partial<ForecastSummary>, after: readonly (readonly [second: number, factor: number])[], most = 9) => {
      const run = open([{ ...PLAN, everyMs: 1e9 }, { ...PLAN, id: 'late', everyMs: 1e9 }], () => ({ ...SUMMARY, ...summary }), most); // prettier-ignore
      for (let i = 0; i < 198; i++) run.series.push(1.7e15 + (i - 198) * 1e6, 100);
      run.series.push(1.7e15, 100);
      for (const [second, factor] of after) run.series.push(1.7e15 + second * 1e6, 100 * factor);
      const { moved, moveBps, reason } = run.outcomes[0];
      const { outcomes, unscored, hits } = run.series.scores()[0].tally;
      return [moved, moveBps === null ? null : Math.round(moveBps), reason, outcomes, unscored, hits];
    };
    const up = [[1, 1], [9, 1.01], [11, 5]] as const; // prettier-ignore
    const paused = [[1, 1], [9, 1.01], [1810, 5]] as const; // prettier-ignore
    expect(outcomeOf({}, up)).to.deep.equal([true, 100, null, 1, 0, 1]);
    expect(outcomeOf({ minMoveBps: 101 }, up)).to.deep.equal([false, 100, null, 1, 0, 0]);
    expect(outcomeOf({ minMoveBps: null }, up)).to.deep.equal([null, 100, 'no_threshold', 0, 1, 0]);
    expect(outcomeOf({ probability: null }, up)).to.deep.equal([true, 100, null, 0, 1, 0]);
    expect(outcomeOf({ baselineProbability: null }, up)).to.deep.equal([true, 100, null, 0, 1, 0]);
    expect(outcomeOf({}, paused)).to.deep.equal([null, null, 'session_gap', 0, 1, 0]);
    expect(outcomeOf({ medianGapS: 60 }, paused), 'no pause for this market').to.deep.equal([true, 100, null, 1, 0, 1]);
    expect(outcomeOf({ minMoveBps: null }, paused)).to.deep.equal([null, null, 'session_gap', 0, 1, 0]);
    expect(outcomeOf({}, up, 0)).to.deep.equal([null, null, 'pending_limit', 0, 1, 0]);
  });

  it('counts a hit only of a forecast that was marked', () => {
    const marks = open([PLAN], () => undefined);
    pushAll(marks, ticks);
    for (const due of marks.due) marks.series.answer(due, { mark: due.n % 2 === 0 ? 1 : null, summary: SUMMARY });
    const even = marks.outcomes.filter(({ n }) => n % 2 === 0);
    expect(marks.recorded()).to.include({ marks: even.length, hits: even.filter(({ moved }) => moved).length });
  });

  it('lets another forecast have an outcome as soon as one has got it, or as its series closes', () => {
    const budget = new OutcomeBudget(2);
    const outcomes: LiveOutcome[] = [];
    const series = () => {
      const one: LiveSeries = new LiveSeries([{ ...PLAN, everyMs: 'tick' }], { due: (due) => one.answer(due, { mark: 1, summary: SUMMARY }), outcome: (outcome) => void outcomes.push(outcome), tally: () => {} }, budget); // prettier-ignore
      for (let i = 0; i < 198; i++) one.push(1.7e15 + i, 100);
      return one;
    };
    const [first, second] = [series(), series()];
    /** Pushes ticks at these seconds, and returns the numbers of the forecasts of these that have a known outcome. */
    const push = (one: LiveSeries, ...seconds: number[]): unknown[] => {
      outcomes.length = 0;
      for (const s of seconds) one.push(1.7e15 + s * 1e6, 100);
      return outcomes.map(({ n, reason }) => (reason === null ? n : `${n} ${reason}`));
    };
    expect(push(first, 1, 2, 3)).to.deep.equal(['2 pending_limit']);
    expect(push(second, 1)).to.deep.equal(['0 pending_limit']);
    expect(push(first, 12)).to.deep.equal([0]);
    expect(push(second, 2), 'the tick at 12 s has taken the place').to.deep.equal(['1 pending_limit']);
    first.close();
    expect(push(second, 3, 4, 5)).to.deep.equal(['4 pending_limit']);
    expect(push(second, 14)).to.deep.equal([2]);
  });

  it('tells its last tick, and gives a window from 199 ticks on', () => {
    const { series } = open([PLAN]);
    expect([series.ticks, series.lastUs, series.lastPrice, series.window(1000)]).to.deep.equal([0, undefined, undefined, undefined]);
    for (let i = 0; i < 199; i++) {
      expect(series.window(1000), `${i} ticks`).to.equal(undefined);
      series.push(ticks.timesUs[i], ticks.prices[i]);
      expect([series.ticks, series.lastUs, series.lastPrice]).to.deep.equal([i + 1, ticks.timesUs[i], ticks.prices[i]]);
    }
    expect(series.window(1000)?.prices).to.deep.equal(ticks.prices.slice(0, 199));
  });

  it('names the horizon bucket of a horizon in ms', () => {
    for (const [ms, name] of [[1000, 'h30s'], [30_000, 'h30s'], [31_000, 'h3m']] as const) expect(bucketNameOf(ms)).to.equal(name); // prettier-ignore
  });

  it('tallies nothing for a forecast that is not answered, and nothing but that it is unscored for one answered after the end', () => {
    const run = open([{ ...PLAN, everyMs: 'tick' }], () => undefined);
    pushAll(run, ticks, 250);
    expect(run.series.scores()[0]?.tally).to.deep.equal(EMPTY_TALLY);
    run.series.close();
    expect(run.series.scores()[0]?.tally).to.deep.equal(EMPTY_TALLY);
    const told = run.outcomes.length;
    for (const due of run.due) run.series.answer(due, { mark: 1, summary: SUMMARY });
    expect(run.recorded()).to.deep.equal({ ...EMPTY_TALLY, forecasts: run.due.length, unscored: run.due.length });
    expect(run.outcomes).to.have.length(told);
  });

  it('counts pending forecasts as unscored when it closes, also those answered later', () => {
    const held: DueForecast[] = [];
    const run = open([PLAN], (due) => {
      if (held.length > 0 || due.n < 20) return SUMMARY;
      held.push(due);
      return undefined;
    });
    pushAll(run, ticks, 700);
    run.series.close();
    for (const due of held) run.series.answer(due, { mark: null, summary: SUMMARY });
    const { forecasts, outcomes, unscored } = run.recorded();
    expect(outcomes + unscored)
      .to.equal(forecasts)
      .and.to.equal(run.due.length);
    expect(unscored).to.be.greaterThan(0);
  });

  it('forgets a forecast that was not computed', () => {
    const run = open([PLAN], ({ n }) => (n % 2 === 0 ? SUMMARY : undefined));
    pushAll(run, ticks);
    expect(run.outcomes.every(({ n }) => n % 2 === 0)).to.equal(true);
    expect(run.recorded().forecasts).to.equal(Math.ceil(run.due.length / 2));
  });
});
