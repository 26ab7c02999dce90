/** A seeded stream of numbers for training, tests and synthetic ticks. Not for keys: those come from node:crypto. */
export type Random = {
  /** Uniform in [0, 1). */
  uniform(): number;
  /** Standard normal (Box–Muller). */
  normal(): number;
  /** Uniform integer in [0, bound). */
  integer(bound: number): number;
};

/** The state of a seeded stream: four 32-bit integers. */
export type RandomState = readonly [number, number, number, number];

/** A stream whose state can be stored and resumed later. */
export type SeededRandom = Random & { state(): RandomState };

/**
 * sfc32 (Chris Doty-Humphrey, PractRand), seeded by splitmix32. The same seed gives the same stream on every platform, except for `normal`,
 * which depends on the platform's `Math.log` and `Math.cos`.
 */
export function seededRandom(seed: number): SeededRandom {
  let s = seed >>> 0;
  const split = (): number => {
    s = (s + 0x9e3779b9) | 0;
    let z = s ^ (s >>> 16);
    z = Math.imul(z, 0x21f0aaad);
    z ^= z >>> 15;
    z = Math.imul(z, 0x735a2d97);
    return (z ^ (z >>> 15)) | 0;
  };
  const random = resumedRandom([split(), split(), split(), 1]);
  // Twelve draws of 32 bits mix the seed; each number uses two.
  for (let i = 0; i < 6; i++) random.uniform();
  return random;
}

/** Resumes a stream from the state that `state()` returned. */
export function resumedRandom(state: RandomState): SeededRandom {
  let [a, b, c, counter] = state;
  const next32 = (): number => {
    const t = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + t) | 0;
    return t >>> 0;
  };
  const uniform = (): number => ((next32() >>> 5) * 67108864 + (next32() >>> 6)) / 9007199254740992;
  return {
    uniform,
    normal: () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform()),
    integer: (bound) => Math.floor(uniform() * bound),
    state: () => [a, b, c, counter],
  };
}

/** Shuffles in place (Fisher and Yates); returns the same array. */
export function shuffle(order: Int32Array, random: Pick<Random, 'integer'>): Int32Array {
  for (let i = order.length - 1; i > 0; i--) {
    const j = random.integer(i + 1);
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}
