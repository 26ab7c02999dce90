import { BUCKET_NAMES, BUCKET_UPPER_S, bucketOf } from '../../src/engine/features/horizonBuckets.ts';

/** The heads to train, the horizons to train on and the horizons to evaluate. Seconds. */
export type HorizonScope = {
  /** Heads, ascending. */
  readonly heads: readonly number[];
  /** Horizons of training rows are in this range and in the bucket of one of the heads. */
  readonly rangeS: readonly [number, number];
  /** Horizons of test rows, ascending. */
  readonly testedS: readonly number[];
};

/** Training horizons of the base, seconds. */
const TRAINED_HORIZON_S: readonly [number, number] = [5, 2700];
/** Four hours: the longest horizon of the preset `swing`. */
const SWING_UPPER_S = 14_400;

/** The whole base: all heads, evaluated at four horizons. */
export const BASE_SCOPE: HorizonScope = { heads: [0, 1, 2, 3], rangeS: TRAINED_HORIZON_S, testedS: [10, 60, 300, 1800] };

/** Default test horizons of a head: low, middle and high in its bucket. */
const JUDGED_S: readonly (readonly [number, number, number])[] = [
  [7, 12, 25],
  [40, 75, 150],
  [240, 400, 750],
  [1200, 1800, 2700],
];

export const PRESETS = {
  scalp: { heads: [0], rangeS: [5, 30], testedS: [7, 12, 25] },
  intraday: { heads: [1, 2], rangeS: [30, 900], testedS: [60, 180, 600] },
  swing: { heads: [3], rangeS: [900, SWING_UPPER_S], testedS: [1800, 3600, 7200] },
} as const satisfies Record<string, HorizonScope>;

export type PresetName = keyof typeof PRESETS;

/**
 * The head of one horizon: trained on its whole bucket and evaluated at three horizons of it, where the requested one replaces the nearest
 * default. A horizon above the range of the base extends the last bucket.
 */
export function scopeOfHorizon(horizonS: number): HorizonScope {
  const head = bucketOf(horizonS);
  const usual = JUDGED_S[head] as readonly [number, number, number];
  const distance = (s: number): number => Math.abs(Math.log(s / horizonS));
  const nearest = usual.reduce((best, s) => (distance(s) < distance(best) ? s : best));
  const testedS = [...new Set([...usual.filter((s) => s !== nearest), horizonS])].sort((a, b) => a - b);
  const [low, high] = bucketRange(head, [Math.min(TRAINED_HORIZON_S[0], horizonS), Math.max(TRAINED_HORIZON_S[1], horizonS)]) as [
    number,
    number,
  ];
  return { heads: [head], rangeS: [low, high], testedS };
}

/** The part of a bucket's horizons inside `range`; undefined if there is none. */
export function bucketRange(bucket: number, range: readonly [number, number]): [number, number] | undefined {
  const low = Math.max(range[0], bucket === 0 ? 0 : (BUCKET_UPPER_S[bucket - 1] as number));
  const high = Math.min(range[1], BUCKET_UPPER_S[bucket] as number);
  return low < high ? [low, high] : undefined;
}

/** The horizon to try a version at: the one that was asked for, 60 s where several were tested, or else the middle one. */
export function exampleHorizon({ heads, testedS }: HorizonScope): string {
  const usual: readonly number[] = heads.length === 1 ? JUDGED_S[heads[0]] : [];
  const asked = usual.length > 0 ? testedS.find((s) => !usual.includes(s)) : testedS.find((s) => s === 60);
  return `${asked ?? testedS[Math.floor(testedS.length / 2)]}s`;
}

/** `h3m (30 s to 3 min)`, for messages. */
export function describeScope({ heads, rangeS }: HorizonScope): string {
  return `${heads.map((head) => BUCKET_NAMES[head]).join(' and ')}, horizons ${rangeS[0]} to ${rangeS[1]} s`;
}
