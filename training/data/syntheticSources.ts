import { syntheticTicks } from '../../src/ticks/syntheticTicks.ts';
import { sourceOfSeries } from './sourceOfSeries.ts';
import type { TickSource } from './TickSource.ts';

/** Ticks of each generated instrument: a day of a market, of which the last seven hours judge. */
const TICKS = 130_000;
const INSTRUMENTS = 5;
const HOUR_US = 3_600_000_000;

/**
 * Instruments made by the generator of synthetic ticks, each of its own seed, hours and days apart, and so a group of its own. Bursts of ticks announce
 * moves (the planted signal): a model that reads the tempo beats one that knows only past volatility.
 */
export function syntheticSources(seed: number, count = INSTRUMENTS, ticks = TICKS, signalStrength = 1): TickSource[] {
  return Array.from({ length: count }, (_, i) => {
    const startUs = Date.UTC(2024, 0, 2 + i) * 1000 + i * HOUR_US;
    const name = `synthetic-${seed + i}`;
    const series = syntheticTicks({ seed: seed + i, count: ticks, medianGapMs: 500, startUs, signalStrength });
    return sourceOfSeries(name, series, `${name} (generated)`);
  });
}
