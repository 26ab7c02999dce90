import { expect } from 'chai';
import fc from 'fast-check';
import { openForecaster, type OpenForecaster } from '../../src/service/app/openForecaster.ts';
import { readSettings } from '../../src/core/config/settings.ts';
import { type Random, seededRandom } from '../../src/core/Random.ts';
import type { Forecaster } from '../../src/engine/forecast/Forecaster.ts';
import { originOf } from '../../src/engine/forecast/memoryAt.ts';
import { rememberTicks } from '../../src/engine/forecast/replayTicks.ts';
import { knotsTowards, ThresholdCurve } from '../../src/engine/forecast/thresholdCurve.ts';
import type { MemoryView } from '../../src/engine/memory/MemoryView.ts';
import type { TickRequest } from '../../src/ticks/parseTickRequest.ts';
import { fakeForecaster, MEMORY_LINE, tickRequest } from '../support/fakeForecaster.ts';
import { walkTicks } from '../support/walkTicks.ts';

/** Reasons of the probability alone; every other one forbids a mark by itself. */
const BY_PROBABILITY = new Set(['below_threshold', 'head_abstains']);
/** The counterfactual is 1e-5 of ln(theta) beyond the threshold where the probability crosses the cut. */
const BACK = 3e-5;

type Asked = { readonly minMoveBps?: number; readonly minProbability?: number; readonly model?: string; readonly memory?: MemoryView };
type Answered = { readonly isMarked: boolean; readonly isFree: boolean; readonly p: number; readonly cut: number | null; readonly bps: number; readonly turned: number | null }; // prettier-ignore

/** The answer, of which the mark is the probability at or above the cut where nothing else forbids it; undefined without a probability. */
async function ask(forecaster: Forecaster, request: TickRequest, asked: Asked): Promise<Answered | undefined> {
  const { mark, detail } = await forecaster.forecast(request, { detail: true, ...asked });
  const { probability: p, decision_threshold: cut, min_move_bps: bps } = detail!.opportunity;
  if (p === null || bps === null) return undefined;
  const codes = detail!.reasons.map(({ code }) => code);
  const isFree = codes.every((code) => BY_PROBABILITY.has(code));
  const about = JSON.stringify({ ...detail!.opportunity, codes, minProbability: asked.minProbability });
  expect(mark, about).to.equal(cut !== null && p >= cut && isFree ? 1 : null);
  expect(codes.includes('below_threshold'), about).to.equal(cut !== null && p < cut);
  if (asked.minProbability !== undefined) expect(cut, about).to.equal(asked.minProbability);
  return { isMarked: mark === 1, isFree, p, cut, bps, turned: detail!.counterfactual?.min_move_bps ?? null };
}

/**
 * Asks at thresholds from 0.05 to 20 times that of the window: the probability falls with the threshold, every answer follows the one rule, no mark has a lower probability than an
 * answer that nothing forbids and that is not marked, and the counterfactual is where the probability crosses the cut. How many have one.
 */
async function expectOneRule(forecaster: Forecaster, request: TickRequest, asked: Asked, random: Random): Promise<number> {
  const own = await ask(forecaster, request, asked);
  if (own === undefined) return 0;
  const at = (minMoveBps: number): Promise<Answered | undefined> => ask(forecaster, request, { ...asked, minMoveBps });
  const answers = [own];
  for (let i = 0; i < 8; i++) answers.push((await at(own.bps * 0.05 * 400 ** random.uniform()))!);
  const free = answers.filter(({ isFree }) => isFree);
  answers.sort((a, b) => a.bps - b.bps).forEach(({ p }, i) => expect(p).to.be.at.most((answers[i - 1]?.p ?? 1) + 1e-12));
  const lowest = Math.min(...free.filter(({ isMarked }) => isMarked).map(({ p }) => p));
  for (const { isMarked, p } of free) expect(isMarked).to.equal(p >= lowest);
  let turnedCount = 0;
  for (const { isMarked, isFree, turned, cut } of answers) {
    const about = JSON.stringify({ isMarked, turned, cut, asked: asked.minProbability });
    if (turned === null) {
      // No other answer of this window is on the other side, unless something else forbids a mark.
      if (isFree) expect(free.some((other) => other.isMarked !== isMarked), about).to.equal(false); // prettier-ignore
      continue;
    }
    turnedCount++;
    const [beyond, before] = [(await at(turned))!, (await at(turned * (isMarked ? 1 - BACK : 1 + BACK)))!];
    expect([beyond.isMarked, before.isMarked], about).to.deep.equal([!isMarked, isMarked]);
    // Where the trained range ends, so do marks.
    if (beyond.isFree && before.isFree) for (const { p } of [beyond, before]) expect(p, about).to.be.closeTo(cut!, 1e-3);
  }
  return turnedCount;
}

const rangeArb = fc.tuple(fc.double({ min: -2, max: -0.1, noNaN: true }), fc.double({ min: 0.1, max: 2, noNaN: true }));

describe('answers over the threshold', () => {
  it('log-odds fall with the threshold up to the end of the trained range, whatever the network says at the knots', () => {
    const logits = fc.array(fc.double({ min: -20, max: 20, noNaN: true }), { minLength: 9, maxLength: 9 });
    fc.assert(
      fc.property(rangeArb, logits, fc.double({ min: 0, max: 1, noNaN: true }), (range, values, moving) => {
        const knots = [...knotsTowards(range, range[0]).reverse(), ...knotsTowards(range, range[1]).slice(1)];
        let [before, smaller] = [Infinity, -Infinity];
        for (let logRatio = -2.5; logRatio <= 2.5; logRatio += 0.05) {
          const needed = knotsTowards(range, logRatio);
          const totals = needed.map((knot) => values[knots.indexOf(knot)] as number);
          const total = new ThresholdCurve(needed, totals, moving).at(logRatio);
          // Above the trained range they are those of its end.
          if (smaller < range[1] - 1e-9) expect(total).to.be.below(before);
          else expect(total).to.be.closeTo(before, 1e-9);
          [before, smaller] = [total, logRatio];
        }
      }),
      { numRuns: 300 },
    );
  });

  it('the default threshold needs one row of the network', () => {
    fc.assert(fc.property(rangeArb, (range) => knotsTowards(range, 0).join() === '0'));
  });

  it('a mark is the probability at or above the cut, which the counterfactual tells, whatever network or memory', async () => {
    const random = seededRandom(8);
    let turned = 0;
    for (let seed = 1; seed <= 60; seed++) {
      const jumps = Array.from({ length: 64 }, () => 4 * random.uniform() - 2);
      const { forecaster } = fakeForecaster({
        answer: ({ baseline }) => ({
          baselineLogit: baseline,
          residualLogit: jumps[Math.floor(Math.abs(8 * baseline)) % 64],
          directionLogit: 0,
        }),
        head: {
          cut: seed % 7 === 0 ? null : 0.05 + 0.8 * random.uniform(),
          calibration: { slope: 0.5 + random.uniform(), intercept: random.uniform() - 0.5 },
          ...(seed % 2 === 0 ? { thresholdSlope: 1 + random.uniform() } : {}),
        },
        trained: { logThetaRatio: [-0.3 - 2 * random.uniform(), 0.3 + 2 * random.uniform()] },
        memory: MEMORY_LINE,
      });
      const { series, futureUs } = tickRequest({ seed, count: 900, horizonS: 5 + 40 * random.uniform() });
      const request = { series: { timesUs: series.timesUs.slice(-400), prices: series.prices.slice(-400) }, futureUs };
      const { horizonMs } = originOf(request);
      const options = { ticks: 200, horizonUs: horizonMs * 1000, everyUs: horizonMs * 1000 + 1e6, most: 8 };
      const memory = seed % 3 === 0 ? {} : { memory: (await rememberTicks(forecaster, series, options)).view(horizonMs) };
      for (const own of [{}, { minProbability: Number((0.01 + 0.98 * random.uniform()).toFixed(3)) }])
        turned += await expectOneRule(forecaster, request, { ...own, ...memory }, random);
    }
    expect(turned).to.be.above(300);
  });

  describe('of the shipped version', () => {
    let open: OpenForecaster;

    before(async () => {
      open = await openForecaster(readSettings({ RUNTIME_BACKEND: 'wasm' }), { batches: [1] });
    });
    after(() => open.close());

    it('a mark is the probability at or above the cut, which the counterfactual tells, with and without memory', async () => {
      const random = seededRandom(9);
      let turned = 0;
      for (let seed = 1; seed <= 12; seed++) {
        const horizonUs = [10, 60, 300, 1800][seed % 4] * 1e6;
        // A coarse grid on every third window: one or two price steps.
        const series = walkTicks({ seed, count: 3000, maxSteps: seed % 3 === 0 ? 2 : 30 });
        const request = {
          series: { timesUs: series.timesUs.slice(-600), prices: series.prices.slice(-600) },
          futureUs: series.timesUs.at(-1)! + horizonUs,
        };
        const options = { ticks: 600, horizonUs, everyUs: horizonUs + 1e6, most: 6 };
        const view = seed % 2 === 0 ? undefined : (await rememberTicks(open.forecaster, series, options)).view(originOf(request).horizonMs);
        const own = seed % 4 < 2 ? {} : { minProbability: 0.05 + 0.6 * random.uniform() };
        turned += await expectOneRule(open.forecaster, request, { ...own, ...(view === undefined ? {} : { memory: view }) }, random);
      }
      expect(turned).to.be.above(20);
    });
  });
});
