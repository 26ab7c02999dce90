import { fileFault } from './fileFault.ts';
import type { TimestampGuess } from './guessTimestampFormat.ts';
import { sampleTimestamps, type StampColumns } from './sampleTimestamps.ts';

/**
 * The length of the bars of a sample, microseconds: the commonest step from one stamp to the next. Pauses of the market are rarer than
 * bars. Throws ServiceError file.malformed where there is one bar alone.
 */
export function barLength(
  rows: readonly (readonly string[])[],
  { guess, ...columns }: StampColumns & { readonly guess: TimestampGuess },
  name: string,
): number {
  const form = guess.isSure ? guess.form : guess.forms[0]!;
  const counts = new Map<number, number>();
  let last = NaN;
  for (const us of sampleTimestamps(rows, columns, form)) {
    const step = Math.abs(us - last);
    if (step > 0) counts.set(step, (counts.get(step) ?? 0) + 1);
    last = us;
  }
  const commonest = [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0])[0]?.[0];
  if (commonest === undefined)
    throw fileFault(name, '', 'these are price bars, and one bar is not enough to detect their length', 'Give more rows, or ticks.');
  return commonest;
}
