/** Steps over which the learning rate rises. */
const WARM_UP_STEPS = 60;
/** The cosine falls to this share of the peak. */
const FINAL_SHARE = 0.02;
/** A plateau cuts the rate to this share, at most so often. */
const PLATEAU_CUT = 0.5;

export const SCHEDULES = ['cosine', 'plateau'] as const;
export type ScheduleName = (typeof SCHEDULES)[number];

/**
 * Learning rate over its peak at `step` of `steps`: a rise over the first 60 steps, then half a cosine (Loshchilov and Hutter, 2017), or
 * for `plateau` a cut by half each time that a validation did not better the best loss.
 */
export function rateShare(schedule: ScheduleName, step: number, steps: number, cuts: number): number {
  const rise = Math.min(1, (step + 1) / Math.min(WARM_UP_STEPS, Math.max(1, steps / 4)));
  if (schedule === 'plateau') return rise * PLATEAU_CUT ** cuts;
  return rise * (FINAL_SHARE + (1 - FINAL_SHARE) * 0.5 * (1 + Math.cos((Math.PI * step) / steps)));
}
