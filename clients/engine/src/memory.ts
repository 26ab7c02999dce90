import { SeriesMemory as Memory } from '../../../src/engine/memory/SeriesMemory.ts';
import type { SeriesMemory } from './api.ts';
import { notAMemory } from './memoryOf.ts';
import { engineError } from './readTicks.ts';

/** The memory of a new series, of bars with their length, or that which `save` returned. Throws EngineError `request.invalid` for other bytes. */
export function openMemory(bytes?: Uint8Array, { barPeriodMs }: { readonly barPeriodMs?: number } = {}): SeriesMemory {
  if (bytes === undefined) return new Memory(barPeriodMs);
  try {
    return Memory.load(bytes);
  } catch (error) {
    throw engineError(error instanceof RangeError ? notAMemory(error.message) : error);
  }
}
