import { parseDuration } from './parseDuration.ts';

/** Durations with commas between them, each once, ascending, in seconds. Throws what `parseDuration` throws. */
export function parseHorizons(text: string): number[] {
  return [...new Set(text.split(',').map((part) => parseDuration(part) / 1e6))].sort((a, b) => a - b);
}
