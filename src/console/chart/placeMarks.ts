/** Between the centres of two marks: they do not cover each other. */
export const MARK_PX = 11;
/** More marks above each other than this are told as a number. */
const MOST_STACKED = 6;

export type Placed<M> = { readonly mark: M; readonly x: number; readonly y: number };

/**
 * Marks at their places, each moved up until it covers no other one. `more`: how many had no room above the place, for the topmost mark there.
 *
 * @param marks those that matter more first
 */
export function placeMarks<M>(
  marks: readonly M[],
  placeOf: (mark: M) => readonly [x: number, y: number],
  top: number,
): readonly (Placed<M> & { readonly more: number })[] {
  const placed: (Placed<M> & { more: number })[] = [];
  for (const mark of marks) {
    const [x, from] = placeOf(mark);
    const near = placed.filter((other) => Math.abs(other.x - x) < MARK_PX);
    const isFree = (y: number): boolean => near.every((other) => Math.abs(other.y - y) >= MARK_PX);
    const tries = Array.from({ length: MOST_STACKED }, (_, i) => from - i * MARK_PX);
    const y = tries.find((at, i) => (i === 0 || at >= top) && isFree(at));
    if (y !== undefined) placed.push({ mark, x, y, more: 0 });
    else near.reduce((a, b) => (b.y < a.y ? b : a)).more++;
  }
  return placed;
}
