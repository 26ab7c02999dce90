/**
 * Linear truth of `x`: 0 at `from`, 1 at `to`, clamped outside. `to` may be below `from`; then smaller values are truer.
 * `x` must not be NaN.
 */
export function grade(x: number, from: number, to: number): number {
  const fraction = (x - from) / (to - from);
  return fraction <= 0 ? 0 : fraction >= 1 ? 1 : fraction;
}
