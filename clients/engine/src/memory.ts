import { fieldProblem, invalidRequest, quoteValue } from '../../../src/core/ServiceError.ts';
import { US_PER_MS } from '../../../src/core/units.ts';
import { SeriesMemory as Memory } from '../../../src/engine/memory/SeriesMemory.ts';
import { isPeriod } from '../../../src/ticks/placeBars.ts';
import type { SeriesMemory } from './api.ts';
import { notAMemory } from './memoryOf.ts';
import { engineError } from './readTicks.ts';

/** The memory of a new series, of bars with their length, or that which `save` returned. Throws EngineError `request.invalid` for other bytes, or a length that bars cannot have. */
export function openMemory(bytes?: Uint8Array, { barPeriodMs = 0 }: { readonly barPeriodMs?: number } = {}): SeriesMemory {
  try {
    if (bytes === undefined) {
      if (barPeriodMs === 0 || isPeriod(barPeriodMs * US_PER_MS)) return new Memory(barPeriodMs);
      const detail = `barPeriodMs is ${quoteValue(barPeriodMs)}; it must be from 1000 to 86400000, or 0 for ticks.`;
      throw invalidRequest([fieldProblem('?barPeriodMs', 'bars.period_out_of_range', detail)]);
    }
    return Memory.load(bytes);
  } catch (error) {
    throw engineError(error instanceof RangeError ? notAMemory(error.message) : error);
  }
}
