import { parseDuration } from './parseDuration.ts';

/** Parses comma-separated durations to seconds, sorted and without duplicates. Throws what `parseDuration` throws. */
export function parseHorizons(text: string): number[] {
  return [...new Set(text.split(',').map((part) => parseDuration(part) / 1e6))].sort((a, b) => a - b);
}
