/** A seeded stream of numbers for training, tests and synthetic ticks. Never for keys: those come from node:crypto. */
export type Random = {
  /** Uniform in [0, 1). */
  uniform(): number;
  /** Standard normal (Box–Muller). */
  normal(): number;
  /** Uniform integer in [0, bound). */
  integer(bound: number): number;
};

/**
 * sfc32 (Chris Doty-Humphrey, PractRand), seeded by splitmix32. The same seed gives the same stream on every platform
 * but for `normal`, which rests on the platform's `Math.log` and `Math.cos`.
 */
export function seededRandom(seed: number): Random {
  let s = seed >>> 0;
  const split = (): number => {
    s = (s + 0x9e3779b9) | 0;
    let z = s ^ (s >>> 16);
    z = Math.imul(z, 0x21f0aaad);
    z ^= z >>> 15;
    z = Math.imul(z, 0x735a2d97);
    return (z ^ (z >>> 15)) | 0;
  };
  let a = split();
  let b = split();
  let c = split();
  let counter = 1;
  const next32 = (): number => {
    const t = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + t) | 0;
    return t >>> 0;
  };
  for (let i = 0; i < 12; i++) next32();
  const uniform = (): number => ((next32() >>> 5) * 67108864 + (next32() >>> 6)) / 9007199254740992;
  return {
    uniform,
    normal: () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform()),
    integer: (bound) => Math.floor(uniform() * bound),
  };
}
