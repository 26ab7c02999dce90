/** Horizon buckets, each with a head of its own and, in a rule set, weights of its own: upper bounds in seconds (inclusive), the last without bound. */
export const BUCKET_UPPER_S = [30, 180, 900, Infinity] as const;
export const BUCKET_NAMES = ['h30s', 'h3m', 'h15m', 'hlong'] as const;

export function bucketOf(horizonS: number): number {
  return BUCKET_UPPER_S.findIndex((upper) => horizonS <= upper);
}
