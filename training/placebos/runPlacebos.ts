import { FeatureBuilder } from '../../src/engine/features/FeatureBuilder.ts';
import { labelOrigin } from '../../src/engine/features/labelOrigin.ts';
import { sessionGapS } from '../../src/engine/features/sessionGap.ts';
import { swingLevels, type SwingLevel } from '../../src/engine/rules/swingLevels.ts';
import { seededRandom } from '../../src/core/Random.ts';
import type { TickSeries } from '../../src/ticks/TickSeries.ts';
import { buildRow } from '../data/buildRow.ts';
import { type RowPlan, thinPlan, walkPlan } from '../data/RowPlan.ts';
import { allocateRows, type RowSet } from '../data/RowSet.ts';
import type { TickSource } from '../data/TickSource.ts';
import type { Placebo } from '../evaluation/gate.ts';
import { leakTest } from '../evaluation/leakTest.ts';
import { auc, aucStandardError } from '../metrics/auc.ts';
import { permutedOutcomesPlacebo, type PlaceboInput, scoreRows } from './scoreRows.ts';
import { bouncePlacebos } from './walks.ts';

/**
 * All placebos of docs/explanation/evaluation.md, "Placebos": permuted outcomes, random walks with and without bounce, inputs without
 * anything after their origin, prices in other units and shifted clocks, a planted signal of known strength, shifted levels next to real
 * ones.
 */
export function runPlacebos(input: PlaceboInput): Placebo[] {
  const { sources, plan, rows } = input;
  const { checked, leaking } = leakTest(sources, plan, rows);
  return [
    permutedOutcomesPlacebo(input),
    ...bouncePlacebos(input),
    {
      name: 'Inputs without anything after their origin',
      holds: checked > 0 && leaking.length === 0,
      text: leaking.length === 0 ? `no bit differs in ${checked} windows.` : `these differ: ${leaking.join(', ')}.`,
    },
    ...invariancePlacebos(input),
    plantedPlacebo(input),
    levelPlacebo(input),
  ];
}

/** About so many windows of a plan. */
const sampleOf = (plan: RowPlan, windows: number): RowPlan => thinPlan(plan, Math.max(1, Math.floor(plan.count / windows)));

/** Windows whose invariance is checked. */
const INVARIANCE_SAMPLE = 100;
/** Largest allowed change: rounding of 32-bit inputs, through the network. */
const TOLERANCE = 1e-4;
const SCALES = [1e-3, 1e4] as const;
/** More than a year, so that the check detects any use of clock or calendar. */
const SHIFT_US = 400 * 86_400e6 + 12_345_000;

/** Prices in other units and shifted clocks must not change any probability. */
function invariancePlacebos({ model, sources, plan }: PlaceboInput): Placebo[] {
  const sample = sampleOf(plan, INVARIANCE_SAMPLE);
  const answer = (change: (series: TickSeries) => TickSeries): Float64Array => scoreRows(model, rowsOf(sources, sample, change)).p;
  const before = answer((series) => series);
  const largest = (after: Float64Array): number => before.reduce((most, p, i) => Math.max(most, Math.abs(p - (after[i] as number))), 0);
  const result = (name: string, what: string, change: (series: TickSeries) => TickSeries): Placebo => {
    const difference = largest(answer(change));
    return {
      name,
      holds: difference <= TOLERANCE,
      text: `${what}: the largest change of ${before.length} probabilities is ${difference.toExponential(1)}.`,
    };
  };
  return [
    ...SCALES.map((scale) =>
      result('Prices in other units', `prices × ${scale}`, ({ timesUs, prices }) => ({
        timesUs,
        prices: prices.map((price) => price * scale),
      })),
    ),
    result('A shifted clock', 'all timestamps 400 days later', ({ timesUs, prices }) => ({
      timesUs: timesUs.map((us) => us + SHIFT_US),
      prices,
    })),
  ];
}

function rowsOf(sources: readonly TickSource[], plan: RowPlan, change: (series: TickSeries) => TickSeries): RowSet {
  const rows = allocateRows(plan.count, plan.draws);
  const builder = new FeatureBuilder();
  let used = 0;
  for (const { block, series } of walkPlan(sources, plan)) {
    const ticks = change(series);
    for (const window of block.windows) if (buildRow(rows, used, ticks, block, window, builder) === 'used') used++;
  }
  return { ...rows, count: used };
}

/**
 * Outcomes drawn from the version's own probabilities: a signal with a known AUC, Σ over pairs of P(i is one, j is none), which the
 * evaluation must measure. It fails if rows and probabilities are off by one, or if outcomes are read from the wrong position.
 */
export function plantedPlacebo({ model, rows, seed }: PlaceboInput): Placebo {
  const { p } = scoreRows(model, rows);
  const random = seededRandom(seed + 1);
  const y = Uint8Array.from(p, (value) => (random.uniform() < value ? 1 : 0));
  const positives = y.reduce((sum, label) => sum + label, 0);
  const expected = expectedAuc(p);
  const measured = auc(p, y);
  const allowed = 3 * aucStandardError(positives, y.length - positives);
  return {
    name: 'A planted signal of known strength is found',
    holds: Math.abs(measured - expected) <= allowed,
    text: `AUC ${measured.toFixed(3)}; planted was ${expected.toFixed(3)}, ± ${allowed.toFixed(3)} is allowed.`,
  };
}

/** The AUC of probabilities on outcomes drawn from them. O(n log n). */
export function expectedAuc(p: Float64Array): number {
  const sorted = Float64Array.from(p).sort();
  let below = 0;
  let wins = 0;
  let ones = 0;
  for (const value of sorted) {
    wins += value * below;
    below += 1 - value;
    ones += value;
  }
  return wins / (ones * below);
}

/** Windows whose levels are checked. */
const LEVEL_SAMPLE = 3000;
/** Shifted levels are up to this many expected moves away from the real ones. */
const SHIFT = 2;

/**
 * How well the distance to support and resistance predicts an opportunity, compared with randomly shifted levels. It never fails; rules
 * must not claim more than the difference. Windows without levels count as far away.
 */
function levelPlacebo({ sources, plan, seed }: PlaceboInput): Placebo {
  const random = seededRandom(seed + 2);
  const builder = new FeatureBuilder();
  const [real, shifted, labels]: [number[], number[], number[]] = [[], [], []];
  for (const { block, series } of walkPlan(sources, sampleOf(plan, LEVEL_SAMPLE))) {
    for (const { from, origin, horizonS } of block.windows) {
      const measures = builder.read(series, from, origin + 1, series.timesUs[origin] + horizonS * 1e6);
      if (typeof measures === 'string') continue;
      const label = labelOrigin(series, origin, measures.horizonS, sessionGapS(measures.medianGapS));
      if (label.status !== 'ok') continue;
      const { supports, resistances } = swingLevels(measures);
      const levels = [...supports, ...resistances];
      const shift = SHIFT * measures.sigmaHorizon * (2 * random.uniform() - 1);
      real.push(nearness(levels, 0, measures.sigmaHorizon));
      shifted.push(nearness(levels, shift, measures.sigmaHorizon));
      labels.push(Math.abs(label.move) > measures.thetaDefault ? 1 : 0);
    }
  }
  const y = Uint8Array.from(labels);
  const [ofReal, ofShifted] = [auc(Float64Array.from(real), y), auc(Float64Array.from(shifted), y)];
  return {
    name: 'Shifted levels next to real ones',
    holds: true,
    text: `distance to a level as a predictor of the opportunity: AUC ${ofReal.toFixed(3)}, of shifted levels ${ofShifted.toFixed(3)}, on ${y.length} windows.`,
  };
}

function nearness(levels: readonly SwingLevel[], shift: number, scale: number): number {
  return -levels.reduce((least, { logPrice }) => Math.min(least, Math.abs(logPrice + shift) / scale), 100);
}
