import type { HeadManifest } from '../model/ModelManifest.ts';

/**
 * The smallest probability that is marked at `logThetaRatio` = ln(theta / theta*): that of the first band whose upper bound is not below
 * it. Above the last bound, the last band applies; whether that is inside the trained range is checked elsewhere.
 */
export function decisionThreshold({ bands }: HeadManifest, logThetaRatio: number): number | null {
  const found = bands.upper.findIndex((upper) => logThetaRatio <= upper);
  return bands.decision[found < 0 ? bands.decision.length - 1 : found] ?? null;
}
