/** Upper bounds of the horizon buckets in seconds (inclusive). Each bucket has its own head and, in a rule set, its own weights. */
export const BUCKET_UPPER_S = [30, 180, 900, Infinity] as const;
export const BUCKET_NAMES = ['h30s', 'h3m', 'h15m', 'hlong'] as const;

export function bucketOf(horizonS: number): number {
  return BUCKET_UPPER_S.findIndex((upper) => horizonS <= upper);
}
