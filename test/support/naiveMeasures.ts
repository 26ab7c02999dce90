import type { TickSeries } from '../../src/ticks/TickSeries.ts';

export type NaiveMeasures = {
  sigmas: number[];
  quantileMove: number;
  cost: number;
  thetaDefault: number;
  medianGapS: number;
  windowS: number;
};

/**
 * The measures of a window, a naive implementation of their formulas without any code of src/. For windows without a session gap. log1p
 * keeps the digits of returns near 0.
 */
export function naiveMeasures({ timesUs, prices }: TickSeries, futureUs: number): NaiveMeasures {
  const cutMs = (us: number): number => Math.floor(us / 1000);
  const byStamp = new Map<number, number>();
  timesUs.forEach((us, i) => byStamp.set(cutMs(us) - cutMs(timesUs[0]), prices[i]));
  const T = [...byStamp.keys()];
  const P = [...byStamp.values()];
  const n = T.length;
  const lp = P.map((price) => Math.log1p((price - P[n - 1]) / P[n - 1]));
  const W = (T[n - 1] - T[0]) / 1000;
  const gaps = T.slice(1).map((t, i) => (t - T[i]) / 1000);

  const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const sigma = (tau: number): number => {
    const m = 5;
    const M: number[] = [];
    const C: number[] = [];
    for (let end = n; end >= m; end -= m) {
      M.unshift(mean(lp.slice(end - m, end)));
      C.unshift(mean(T.slice(end - m, end)) / 1000);
    }
    if (M.length < 3) return 0;
    let top = 0;
    let bottom = 0;
    for (let j = 1; j < M.length; j++) {
      const w = Math.exp(-(T[n - 1] / 1000 - C[j]) / tau);
      top += w * (M[j] - M[j - 1]) ** 2;
      bottom += w * (C[j] - C[j - 1]);
    }
    return Math.sqrt(top / bottom / ((2 * m * m + 1) / (3 * m * m)));
  };

  // Whole milliseconds, so that a grid point equal to a timestamp is exactly equal.
  const horizonMs = cutMs(futureUs) - cutMs(timesUs.at(-1)!);
  const lagMs = Math.min(horizonMs, (T[n - 1] - T[0]) / 20);
  const H = horizonMs / 1000;
  const priceAt = (ms: number): number => {
    const i = Math.min(
      n - 2,
      T.findLastIndex((t) => t <= ms),
    );
    return lp[i] + ((lp[i + 1] - lp[i]) * (ms - T[i])) / (T[i + 1] - T[i]);
  };
  const moves: number[] = [];
  for (let k = 0; k < 512; k++) {
    const before = T[0] + (k * (T[n - 1] - T[0] - lagMs)) / 511;
    moves.push(Math.abs(priceAt(before + lagMs) - priceAt(before)) * Math.sqrt(horizonMs / lagMs));
  }
  const q = Math.max(1.5 * mean(moves), 0.575 * sigma(600) * Math.sqrt(H));

  const r = lp.slice(1).map((value, i) => (Math.abs(value - lp[i]) <= 1e-9 ? 0 : value - lp[i]));
  const a = r.slice(1);
  const b = r.slice(0, -1);
  const meanA = mean(a);
  const meanB = mean(b);
  const cov = r.length < 3 ? 0 : a.reduce((sum, value, i) => sum + (value - meanA) * (b[i] - meanB), 0) / (a.length - 1);
  const sizes = r
    .filter((value) => value !== 0)
    .map(Math.abs)
    .sort((x, y) => x - y);
  const step = mean(sizes.slice(0, Math.max(1, Math.round(0.2 * sizes.length))));
  const c = sizes.length === 0 ? 1e-8 : Math.max(2 * Math.sqrt(Math.max(0, -cov)), 1.5 * step);
  const thetaDefault = Math.max(c, q ** 0.9 * (0.6e-4 * Math.sqrt(H)) ** 0.1);
  return {
    sigmas: [30, 120, 600, Infinity].map(sigma),
    quantileMove: q,
    cost: c,
    thetaDefault,
    medianGapS: linearQuantile(gaps, 0.5),
    windowS: W,
  };
}

function linearQuantile(values: number[], share: number): number {
  const sorted = values.toSorted((x, y) => x - y);
  const position = share * (sorted.length - 1);
  const k = Math.floor(position);
  return sorted[k] + (position - k) * ((sorted[k + 1] ?? sorted[k]) - sorted[k]);
}
