/**
 * Degree to which `x` is past `from` on the way to `to`: 0 at `from`, 1 at `to`, linear between, held outside.
 * `to` may lie below `from`; then smaller values are truer. `x` must not be NaN.
 */
export function grade(x: number, from: number, to: number): number {
  const share = (x - from) / (to - from);
  return share <= 0 ? 0 : share >= 1 ? 1 : share;
}
