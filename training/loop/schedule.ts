/** Warm-up steps, in which the learning rate rises. */
const WARM_UP_STEPS = 60;
/** The cosine falls to this fraction of the peak. */
const FINAL_FRACTION = 0.02;
/** A plateau cuts the rate to this fraction. */
const PLATEAU_CUT = 0.5;

export const SCHEDULES = ['cosine', 'plateau'] as const;
export type ScheduleName = (typeof SCHEDULES)[number];

/**
 * Learning rate divided by its peak at `step` of `steps`: a rise over the first 60 steps, then half a cosine (Loshchilov and Hutter, 2017),
 * or for `plateau` a cut by half after each validation that did not improve the best loss.
 */
export function rateFactor(schedule: ScheduleName, step: number, steps: number, cuts: number): number {
  const rise = Math.min(1, (step + 1) / Math.min(WARM_UP_STEPS, Math.max(1, steps / 4)));
  if (schedule === 'plateau') return rise * PLATEAU_CUT ** cuts;
  return rise * (FINAL_FRACTION + (1 - FINAL_FRACTION) * 0.5 * (1 + Math.cos((Math.PI * step) / steps)));
}
