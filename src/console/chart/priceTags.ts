/** A price on the right-hand axis. */
export type PriceTag = {
  readonly price: number;
  readonly text: string;
  readonly colour: string;
  /** Filled ones stand out; the others are outlined. */
  readonly isFilled: boolean;
};

export type PlacedTag = PriceTag & {
  /** Centre of the price, and of the tag, which differ where tags would overlap; pixels from the top. */
  readonly priceY: number;
  readonly y: number;
};

/**
 * Places tags near their prices, so that none overlaps another and none is cut off at the top or the bottom. Prices outside of the plot have
 * their tag at its edge.
 */
export function placeTags(
  tags: readonly PriceTag[],
  {
    yOf,
    top,
    bottom,
    height,
  }: { readonly yOf: (price: number) => number; readonly top: number; readonly bottom: number; readonly height: number },
): PlacedTag[] {
  const inside = (y: number): number => Math.min(Math.max(y, top), bottom);
  const wanted = tags.map((tag) => ({ tag, y: inside(yOf(tag.price)) })).sort((a, b) => a.y - b.y || b.tag.price - a.tag.price);
  // Groups of tags that touch: each stands around the mean of its prices.
  const groups: { from: number; count: number; sum: number; centre: number }[] = [];
  const centred = (group: { count: number; sum: number }): number => {
    const half = (group.count * height) / 2;
    return Math.min(Math.max(group.sum / group.count, top + half), bottom - half);
  };
  wanted.forEach(({ y }, from) => {
    let group = { from, count: 1, sum: y, centre: 0 };
    group.centre = centred(group);
    for (let last = groups.at(-1); last !== undefined; last = groups.at(-1)) {
      if (last.centre + (last.count * height) / 2 <= group.centre - (group.count * height) / 2 + 1e-9) break;
      groups.pop();
      group = { from: last.from, count: last.count + group.count, sum: last.sum + group.sum, centre: 0 };
      group.centre = centred(group);
    }
    groups.push(group);
  });
  return groups.flatMap(({ from, count, centre }) =>
    wanted.slice(from, from + count).map(({ tag, y }, i) => ({ ...tag, priceY: y, y: centre + (i - (count - 1) / 2) * height })),
  );
}

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
