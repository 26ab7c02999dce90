import { readdirSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { openForecaster, type OpenForecaster } from '../../src/service/app/openForecaster.ts';
import { readSettings } from '../../src/core/config/settings.ts';
import { seededRandom } from '../../src/core/Random.ts';
import type { Forecaster } from '../../src/engine/forecast/Forecaster.ts';
import { knotsTowards, ThresholdCurve } from '../../src/engine/forecast/thresholdCurve.ts';
import type { TickRequest } from '../../src/ticks/parseTickRequest.ts';
import { readTickFile } from '../../src/ticks/import/streamTickFile.ts';
import { fakeForecaster, tickRequest, type FakeOptions } from '../support/fakeForecaster.ts';
import { walkTicks } from '../support/walkTicks.ts';
import { hasRealTicks, REAL_TICKS_DIR, REAL_TICKS_SKIPPED } from '../support/realTicks.ts';

/** 0.2 to 6 times the default threshold. */
const RATIOS = Array.from({ length: 25 }, (_, i) => 0.2 * 30 ** (i / 24));

const WINDOWS_PER_FILE = 24;
const GENERATED_WINDOWS = 60;

type Answer = { readonly mark: 1 | null; readonly probability: number };

/** Thresholds at which a null turns into a mark or the probability rises, of those in `answers`, ascending. */
function violations(answers: readonly Answer[]): number[] {
  return answers.flatMap((answer, at) => {
    const before = answers[at - 1];
    if (before === undefined) return [];
    const reappears = before.mark === null && answer.mark === 1;
    return reappears || answer.probability > before.probability + 1e-12 ? [RATIOS[at] as number] : [];
  });
}

/** Answers at 25 thresholds; undefined if the window has no probability. */
async function answersOf(forecaster: Forecaster, request: TickRequest): Promise<Answer[] | undefined> {
  const own = await forecaster.forecast(request, { detail: true, counterfactual: false });
  const bps = own.detail?.opportunity.min_move_bps ?? null;
  if (bps === null) return undefined;
  const answers: Answer[] = [];
  for (const ratio of RATIOS) {
    const { mark, detail } = await forecaster.forecast(request, { detail: true, counterfactual: false, minMoveBps: bps * ratio });
    answers.push({ mark, probability: detail?.opportunity.probability as number });
  }
  return answers;
}

const rangeArb = fc.tuple(fc.double({ min: -2, max: -0.1, noNaN: true }), fc.double({ min: 0.1, max: 2, noNaN: true }));

describe('answers over the threshold', () => {
  it('log-odds never rise with the threshold, whatever the network says at the knots', () => {
    const logits = fc.array(fc.double({ min: -20, max: 20, noNaN: true }), { minLength: 9, maxLength: 9 });
    fc.assert(
      fc.property(rangeArb, logits, fc.double({ min: 0, max: 1, noNaN: true }), (range, values, moving) => {
        const knots = [...knotsTowards(range, range[0]).reverse(), ...knotsTowards(range, range[1]).slice(1)];
        let before = Infinity;
        for (let logRatio = -2.5; logRatio <= 2.5; logRatio += 0.05) {
          const needed = knotsTowards(range, logRatio);
          const totals = needed.map((knot) => values[knots.indexOf(knot)] as number);
          const total = new ThresholdCurve(needed, totals, moving).at(logRatio);
          expect(total).to.be.at.most(before + 1e-9);
          before = total;
        }
      }),
      { numRuns: 300 },
    );
  });

  it('the default threshold needs one row of the network', () => {
    fc.assert(fc.property(rangeArb, (range) => knotsTowards(range, 0).join() === '0'));
  });

  it('a mark never reappears on generated ticks, with a network that contradicts itself', async () => {
    const random = seededRandom(3);
    for (let seed = 1; seed <= 40; seed++) {
      const jumps = Array.from({ length: 64 }, () => 4 * random.uniform() - 2);
      const answer: FakeOptions['answer'] = ({ baseline }) => ({
        baselineLogit: baseline,
        residualLogit: jumps[Math.floor(Math.abs(8 * baseline)) % 64] as number,
        directionLogit: 0,
      });
      const { forecaster } = fakeForecaster({ answer, head: { cut: random.uniform() }, trained: { logThetaRatio: [-0.9, 0.9] } });
      const answers = await answersOf(forecaster, tickRequest({ seed, horizonS: 10 * seed }));
      if (answers !== undefined) expect(violations(answers), `seed ${seed}`).to.deep.equal([]);
    }
  });

  describe('of the shipped version', () => {
    let open: OpenForecaster;

    before(async () => {
      open = await openForecaster(readSettings({ RUNTIME_BACKEND: 'wasm' }), { batches: [1] });
    });
    after(() => open.close());

    it('a mark never reappears, and the probability never rises, on generated ticks at every head', async () => {
      let curves = 0;
      let marked = 0;
      for (let seed = 1; seed <= GENERATED_WINDOWS; seed++) {
        const horizonS = [10, 60, 300, 1800][seed % 4] as number;
        // A coarse grid on every third window: one or two price steps.
        const series = walkTicks({ seed, count: 600, maxSteps: seed % 3 === 0 ? 2 : 30 });
        const futureUs = (series.timesUs.at(-1) as number) + horizonS * 1e6;
        const answers = await answersOf(open.forecaster, { series, futureUs });
        if (answers === undefined) continue;
        expect(violations(answers), `seed ${seed}, ${horizonS} s`).to.deep.equal([]);
        curves++;
        if (answers.some(({ mark }) => mark === 1)) marked++;
      }
      expect(curves).to.be.above(0.9 * GENERATED_WINDOWS);
      expect(marked).to.be.above(0);
    });

    it('a mark never reappears, and the probability never rises, on real ticks', async function () {
      if (!hasRealTicks) {
        console.log(`      skipped: ${REAL_TICKS_SKIPPED}`);
        return this.skip();
      }
      const random = seededRandom(22);
      let curves = 0;
      let marked = 0;
      const files = readdirSync(REAL_TICKS_DIR).filter((file) => file.endsWith('.csv.gz') && !/xauusd|eurusd-fxcm/.test(file));
      for (const file of files) {
        const { series } = await readTickFile(path.join(REAL_TICKS_DIR, file));
        for (let k = 0; k < WINDOWS_PER_FILE; k++) {
          const ticks = [200, 500, 1000, 3000][k % 4] as number;
          const end = ticks + random.integer(series.timesUs.length - ticks);
          const [timesUs, prices] = [series.timesUs.slice(end - ticks, end), series.prices.slice(end - ticks, end)];
          const futureUs = (timesUs.at(-1) as number) + ([10, 60, 300][k % 3] as number) * 1e6;
          const answers = await answersOf(open.forecaster, { series: { timesUs, prices }, futureUs });
          if (answers === undefined) continue;
          expect(violations(answers), `${file}, window ${k}`).to.deep.equal([]);
          curves++;
          if (answers.some(({ mark }) => mark === 1)) marked++;
        }
      }
      console.log(`      ${curves} curves of 25 thresholds, ${marked} with a mark`);
      expect(curves).to.be.at.least(180);
      expect(marked).to.be.at.least(20);
    });
  });
});
