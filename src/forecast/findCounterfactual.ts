import { BPS_PER_UNIT } from '../core/units.ts';

/** Steps of ln(theta) looked at on both sides of the question, and the most questions asked. */
const STEPS = [0.25, 0.75] as const;
export const MAX_QUESTIONS = 12;
/** A probe at the end of the trained range stays within it when its threshold is rounded to six digits. */
const ROUNDING = 1e-5;
/** Largest threshold that a caller may name, basis points. */
export const MAX_MOVE_BPS = 10_000;

/**
 * The nearest threshold found, in basis points, whose answer differs; null where none was found within the trained range.
 *
 * Looks outward at fixed steps and at both ends of `logThetaRange` (absolute, ln of log price), nearest first, then halves
 * the interval between the last answer that stood and the first that turned. `isMarked(bps)` is asked at most 12 times, only
 * for thresholds that a caller can send, and the one returned has been asked. The probability need not fall with the
 * threshold everywhere, so a nearer turn between two probes may be missed.
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
  let asked = 0;
  const turns = async (logTheta: number): Promise<boolean> => {
    asked++;
    return (await isMarked(toBps(logTheta))) !== marked;
  };
  // The furthest answer on each side that stood.
  let stoodBelow = origin;
  let stoodAbove = origin;
  for (const probe of probes) {
    if (!(await turns(probe))) {
      if (probe < origin) stoodBelow = probe;
      else stoodAbove = probe;
      continue;
    }
    let stood = probe < origin ? stoodBelow : stoodAbove;
    let turned = probe;
    while (asked < MAX_QUESTIONS) {
      const middle = (stood + turned) / 2;
      if (await turns(middle)) turned = middle;
      else stood = middle;
    }
    return toBps(turned);
  }
  return null;
}

/** Six digits, so that the number in the answer is the number that was asked about. */
function toBps(logTheta: number): number {
  return Math.min(MAX_MOVE_BPS, Number((Math.exp(logTheta) * BPS_PER_UNIT).toPrecision(6)));
}
