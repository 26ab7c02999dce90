import { fileFault } from './fileFault.ts';
import { type StampGuess } from './guessStamp.ts';
import { StampParser } from './StampParser.ts';

const encoder = new TextEncoder();

/**
 * The length of the bars of a sample, microseconds: the commonest step from one stamp to the next. Pauses of the market are rarer than
 * bars. Throws ServiceError file.malformed where there is one bar alone.
 */
export function barLength(
  rows: readonly (readonly string[])[],
  { stampColumn, timeColumn, guess }: { readonly stampColumn: number; readonly timeColumn: number; readonly guess: StampGuess },
  name: string,
): number {
  const parser = new StampParser(guess.isSure ? guess.form : { kind: 'calendar', order: 'dmy', isSplit: timeColumn >= 0 });
  const counts = new Map<number, number>();
  let last = NaN;
  for (const row of rows) {
    const date = encoder.encode(row[stampColumn]);
    const joined = encoder.encode(`${row[stampColumn]}${timeColumn < 0 ? '' : row[timeColumn]}`);
    const us =
      timeColumn < 0 ? parser.timeUs(joined, 0, joined.length) : parser.splitUs(joined, 0, date.length, date.length, joined.length);
    const step = Math.abs(us - last);
    if (step > 0) counts.set(step, (counts.get(step) ?? 0) + 1);
    last = us;
  }
  const commonest = [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0])[0]?.[0];
  if (commonest === undefined)
    throw fileFault(name, '', 'these are price bars, and from one alone their length cannot be told', 'Give more rows, or ticks.');
  return commonest;
}
