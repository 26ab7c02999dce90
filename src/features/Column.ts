/** How a column changes if every price p becomes 1/p (log returns change sign). */
export type Mirror = 'same' | 'negate' | 'one_minus' | 'swap';

/**
 * One column of the network's input. The builder computes `formula` (the raw value); the input is
 * x = (raw - center) * scale, then clipped to [low, high], or squashed to x / (1 + |x| / high) where `isSquashed`.
 * `undefinedAs` replaces a raw value that is undefined in a window (0/0), in units of the input; null if it is always defined.
 */
export type Column<N extends string = string> = {
  readonly name: N;
  readonly formula: string;
  readonly center: number;
  readonly scale: number;
  readonly low: number;
  readonly high: number;
  readonly isSquashed: boolean;
  readonly undefinedAs: number | null;
  readonly mirror: Mirror;
};

type Options = { center?: number; scale?: number; undefinedAs?: number; mirror?: Mirror };

export function clipped<N extends string>(
  name: N,
  formula: string,
  clip: readonly [low: number, high: number],
  options: Options = {},
): Column<N> {
  const { center = 0, scale = 1, undefinedAs = null, mirror = 'same' } = options;
  return { name, formula, center, scale, low: clip[0], high: clip[1], isSquashed: false, undefinedAs, mirror };
}

/** Smooth and odd: keeps the order of large values, which clipping would make equal. `low` is -bound, or 0 if raw is never negative. */
export function squashed<N extends string>(name: N, formula: string, bound: number, options: Options & { low?: 0 } = {}): Column<N> {
  const { center = 0, scale = 1, undefinedAs = null, mirror = 'same', low = -bound } = options;
  return { name, formula, center, scale, low, high: bound, isSquashed: true, undefinedAs, mirror };
}
