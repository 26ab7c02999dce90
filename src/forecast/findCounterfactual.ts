import { BPS_PER_UNIT } from '../core/units.ts';

/** Steps in ln(theta) on both sides of the requested threshold, and the maximum number of probes. */
const STEPS = [0.25, 0.75] as const;
export const MAX_PROBES = 12;
/** A probe at the end of the trained range stays inside it after its threshold is rounded to six digits. */
const ROUNDING = 1e-5;
/** Largest threshold that a caller may send, basis points. */
export const MAX_MOVE_BPS = 10_000;

/**
 * The nearest threshold found, in basis points, that changes the answer; null if there is none within the trained range.
 *
 * Probes outward at fixed steps and at both ends of `logThetaRange` (absolute, ln of log price), nearest first, then bisects between the
 * last unchanged answer and the first changed one. `isMarked(bps)` is called at most 12 times, only for thresholds that a caller can send,
 * and always for the result. The probability does not have to fall with the threshold everywhere, so a nearer change between two probes may
 * be missed.
 */
export async function findCounterfactual(
  theta: number,
  marked: boolean,
  logThetaRange: readonly [number, number],
  isMarked: (minMoveBps: number) => Promise<boolean>,
): Promise<number | null> {
  const origin = Math.log(theta);
  const low = logThetaRange[0] + ROUNDING;
  const high = Math.min(logThetaRange[1] - ROUNDING, Math.log(MAX_MOVE_BPS / BPS_PER_UNIT));
  const probes = [low, high, ...STEPS.flatMap((step) => [origin - step, origin + step])]
    .filter((probe) => probe >= low && probe <= high && probe !== origin)
    .sort((a, b) => Math.abs(a - origin) - Math.abs(b - origin));
  let probed = 0;
  const changes = async (logTheta: number): Promise<boolean> => {
    probed++;
    return (await isMarked(toBps(logTheta))) !== marked;
  };
  // The furthest unchanged answer on each side.
  let unchangedBelow = origin;
  let unchangedAbove = origin;
  for (const probe of probes) {
    if (!(await changes(probe))) {
      if (probe < origin) unchangedBelow = probe;
      else unchangedAbove = probe;
      continue;
    }
    let unchanged = probe < origin ? unchangedBelow : unchangedAbove;
    let changed = probe;
    while (probed < MAX_PROBES) {
      const middle = (unchanged + changed) / 2;
      if (await changes(middle)) changed = middle;
      else unchanged = middle;
    }
    return toBps(changed);
  }
  return null;
}

/** Rounds to six digits, so that the number in the answer is exactly the number that was probed. */
function toBps(logTheta: number): number {
  return Math.min(MAX_MOVE_BPS, Number((Math.exp(logTheta) * BPS_PER_UNIT).toPrecision(6)));
}
