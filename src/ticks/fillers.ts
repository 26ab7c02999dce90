/** One for each bar; null where it is not known. What follows is not looked at. */
export type Volumes = ArrayLike<unknown>;

/** What is known of the bars before the first one. */
export type BarsBefore = {
  readonly close?: number | undefined;
  /** One of them had a volume above 0: a volume of 0 says something. */
  readonly hasVolume?: boolean | undefined;
};

export const hasVolume = (volumes: Volumes): boolean =>
  Array.prototype.some.call(volumes, (volume: unknown) => typeof volume === 'number' && volume > 0);

/**
 * Indices of the bars that are no fillers, ascending; undefined: of all. A bar of volume 0 that repeats the close before it, with all of its prices,
 * stands where the market was closed. Nothing but zeros say nothing: some sources know no volume.
 *
 * @param closes and with them, if they are known, opens, highs and lows
 */
export function withoutFillers(
  [closes, ...ranges]: readonly [closes: Float64Array, ...(Float64Array | undefined)[]],
  volumes: Volumes,
  { close, hasVolume: had = false }: BarsBefore = {},
): readonly number[] | undefined {
  if (!had && !hasVolume(volumes)) return undefined;
  let before = close ?? NaN;
  const kept: number[] = [];
  for (let i = 0; i < closes.length; i++) {
    const price = closes[i];
    if (volumes[i] === 0 && price === before && ranges.every((list) => list === undefined || list[i] === price)) continue;
    kept.push(i);
    before = price;
  }
  return kept.length === closes.length ? undefined : kept;
}
