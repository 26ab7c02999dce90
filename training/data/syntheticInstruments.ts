import { createHash } from 'node:crypto';
import { syntheticTicks } from '../../src/ticks/syntheticTicks.ts';
import type { Instrument } from './Instrument.ts';

/** Ticks of each generated instrument: enough for a first training run of a minute or two. */
const TICKS = 60_000;
const INSTRUMENTS = 4;

/** Instruments made by the generator of synthetic ticks, each of its own seed and so a group of its own. */
export function syntheticInstruments(seed: number, count = INSTRUMENTS, ticks = TICKS): Instrument[] {
  return Array.from({ length: count }, (_, i) => {
    const series = syntheticTicks({ seed: seed + i, count: ticks });
    const name = `synthetic-${seed + i}`;
    const hash = createHash('sha256').update(Buffer.from(series.timesUs.buffer)).update(Buffer.from(series.prices.buffer));
    return { name, group: name, series, file: { name: `${name} (generated)`, sha256: hash.digest('hex'), rows: series.prices.length } };
  });
}
