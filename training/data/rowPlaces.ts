import type { RowSet } from './RowSet.ts';

/** What tells a row from every other one of its set. */
export const placeOf = (source: number, originUs: number, horizonMs: number, barS: number): string =>
  `${source}/${originUs}/${horizonMs}/${barS}`;

/** Where the row of a planned window is: rows of windows that could not be used are not there. */
export function rowPlaces(rows: RowSet): Map<string, number> {
  const places = new Map<string, number>();
  for (let row = 0; row < rows.count; row++) {
    const horizonMs = Math.round((rows.horizonS[row] as number) * 1000);
    places.set(placeOf(rows.instrument[row] as number, rows.originUs[row] as number, horizonMs, rows.barS[row] as number), row);
  }
  return places;
}
