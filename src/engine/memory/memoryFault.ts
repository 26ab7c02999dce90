import { SeriesMemory } from './SeriesMemory.ts';

/** Why bytes are not what `SeriesMemory.save` returns, or could return; undefined: they are. */
export function memoryFault(bytes: Uint8Array): string | undefined {
  try {
    SeriesMemory.load(bytes);
    return undefined;
  } catch (error) {
    if (error instanceof RangeError) return error.message;
    throw error;
  }
}
