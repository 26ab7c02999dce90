import type { HeadManifest } from '../model/ModelManifest.ts';

/**
 * The smallest probability that is marked at `logThetaRatio` = ln(theta / theta*): that of the first band whose upper
 * bound is not below it. Beyond the last bound the last band holds; whether it was trained there is another question.
 */
export function decisionThreshold({ bands }: HeadManifest, logThetaRatio: number): number | null {
  const found = bands.upper.findIndex((upper) => logThetaRatio <= upper);
  return bands.decision[found < 0 ? bands.decision.length - 1 : found] ?? null;
}
