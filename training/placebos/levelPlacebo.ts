import { FeatureBuilder } from '../../src/engine/features/FeatureBuilder.ts';
import { seededRandom } from '../../src/core/Random.ts';
import { swingLevels, type SwingLevel } from '../../src/engine/rules/swingLevels.ts';
import { labelOrigin } from '../../src/engine/features/labelOrigin.ts';
import { sessionGapS } from '../../src/engine/features/sessionGap.ts';
import type { Placebo } from '../evaluation/gate.ts';
import { auc } from '../metrics/auc.ts';
import { walkPlan } from '../data/RowPlan.ts';
import type { PlaceboInput } from './scoreRows.ts';

/** Number of checked windows. */
const SAMPLE = 3000;
/** Shifted levels are up to this many expected moves away from the real ones. */
const SHIFT = 2;

/**
 * How well the distance to support and resistance predicts an opportunity, compared with randomly shifted levels. It never fails; rules
 * must not claim more than the difference. Windows without levels count as far away.
 */
export function levelPlacebo({ sources, plan, seed }: PlaceboInput): Placebo {
  const random = seededRandom(seed + 2);
  const builder = new FeatureBuilder();
  const every = Math.max(1, Math.floor(plan.count / SAMPLE));
  const [real, shifted, labels]: [number[], number[], number[]] = [[], [], []];
  for (const { block, series } of walkPlan(sources, plan)) {
    for (let window = 0; window < block.origin.length; window += every) {
      const origin = block.origin[window] as number;
      const futureUs = (series.timesUs[origin] as number) + (block.horizonS[window] as number) * 1e6;
      const measures = builder.read(series, block.from[window] as number, origin + 1, futureUs);
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
