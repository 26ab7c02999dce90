import { fieldProblem, invalidRequest, type ServiceError } from '../../../src/core/ServiceError.ts';
import { SeriesMemory as Memory } from '../../../src/engine/memory/SeriesMemory.ts';
import type { SeriesMemory } from './api.ts';

/** The part that the engine calls. */
export function memoryOf(memory: SeriesMemory): Memory {
  if (memory instanceof Memory) return memory;
  throw notAMemory('It is not one of openMemory.');
}

export const notAMemory = (why: string): ServiceError =>
  invalidRequest([fieldProblem('?memory', 'query.malformed', `memory is not what save() returned: ${why}`)]);
