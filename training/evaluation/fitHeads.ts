import type { HeadManifest } from '../../src/model/ModelManifest.ts';
import { BUCKET_NAMES } from '../../src/model/NetworkSpec.ts';
import { chooseThreshold } from '../metrics/decision.ts';
import { sigmoid } from '../metrics/logistic.ts';
import { fitCalibration, type OutOfFold } from './outOfFold.ts';

/** Bands of ln(theta / theta*) with a threshold of their own: low, default, high. The last edge is the trained range's. */
export const BAND_UPPER = [-0.3, 0.3, 0.9] as const;

/** Calibration and decision thresholds of every head from predictions on left-out groups. A head or band without enough of them abstains. */
export function fitHeads(out: OutOfFold): HeadManifest[] {
  return BUCKET_NAMES.map((name, head) => {
    const { slope, intercept } = fitCalibration(out, head, () => true);
    const decision = BAND_UPPER.map((upper, band) => {
      const lower = band === 0 ? -Infinity : (BAND_UPPER[band - 1] as number);
      const members = Array.from({ length: out.count }, (_, at) => at).filter((at) => {
        const ratio = out.logThetaRatio[at] as number;
        return out.head[at] === head && ratio > lower && ratio <= upper + 1e-9;
      });
      const p = Float64Array.from(members, (at) => sigmoid(slope * (out.logit[at] as number) + intercept));
      const y = Uint8Array.from(members, (at) => out.label[at] as number);
      return chooseThreshold(p, y)?.threshold ?? null;
    });
    return {
      name,
      calibration: { slope, intercept },
      bands: { upper: [...BAND_UPPER], decision },
      directionPassed: false,
      residual: 'trained',
    };
  });
}
