import { syntheticTicks } from '../../src/ticks/syntheticTicks.ts';
import { sourceOfSeries } from './sourceOfSeries.ts';
import type { TickSource } from './TickSource.ts';

/** Ticks of each generated instrument: one day; the last seven hours are test data. */
const TICKS = 130_000;
const INSTRUMENTS = 5;
const HOUR_US = 3_600_000_000;

/**
 * Generated instruments, each with its own seed, hours and days, and therefore its own group. Bursts of ticks precede moves (the planted
 * signal), so a model that uses the tempo beats one that uses only past volatility.
 */
export function syntheticSources(seed: number, count = INSTRUMENTS, ticks = TICKS, signalStrength = 1): TickSource[] {
  return Array.from({ length: count }, (_, i) => {
    const startUs = Date.UTC(2024, 0, 2 + i) * 1000 + i * HOUR_US;
    const name = `synthetic-${seed + i}`;
    const series = syntheticTicks({ seed: seed + i, count: ticks, medianGapMs: 500, startUs, signalStrength });
    return sourceOfSeries(name, series, `${name} (generated)`);
  });
}
