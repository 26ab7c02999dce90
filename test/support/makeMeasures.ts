import type { WindowMeasures } from '../../src/engine/features/WindowMeasures.ts';

/**
 * Measures of a hand-made window: one log price per second, relative to the last. sigma 1e-4 per sqrt(second) at every memory, H = 25 s (so
 * an expected move is 5e-4), no cost; `changes` overrides any field.
 */
export function makeMeasures(logPrices: readonly number[], changes: Partial<WindowMeasures> = {}): WindowMeasures {
  const n = logPrices.length;
  const last = logPrices[n - 1] ?? 0;
  return {
    ticks: n,
    distinctTicks: n,
    ticksBeforeGap: 0,
    timesS: Float64Array.from(logPrices, (_, i) => i - (n - 1)),
    logPrices: Float64Array.from(logPrices, (logPrice) => logPrice - last),
    lastPrice: 100,
    horizonS: 25,
    windowS: n - 1,
    medianGapS: 1,
    sigmas: [1e-4, 1e-4, 1e-4, 1e-4],
    sigmaHorizon: 5e-4,
    quantileMove: 5e-4,
    cost: 0,
    thetaDefault: 4e-4,
    ...changes,
  };
}
