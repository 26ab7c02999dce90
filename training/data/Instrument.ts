import * as path from 'node:path';
import { readTickFile } from '../../src/ticks/readTickFile.ts';
import type { TickSeries } from '../../src/ticks/TickSeries.ts';

/** One series of ticks with its place in the split. */
export type Instrument = {
  /** File name without folder and extensions. */
  readonly name: string;
  /** Series of one group move together: they never stand on opposite sides of a split. */
  readonly group: string;
  readonly series: TickSeries;
  readonly file: { readonly name: string; readonly sha256: string; readonly rows: number };
};

export const instrumentName = (file: string): string => path.basename(file).replace(/(\.csv|\.tsv|\.txt)?(\.gz)?$/i, '');

/**
 * Reads tick files. `groups` maps a group's name to the names of its instruments; an instrument named in no group is a group
 * of its own. Throws ServiceError `file.unreadable` or `file.malformed`.
 */
export async function readInstruments(
  files: readonly string[],
  groups: Readonly<Record<string, readonly string[]>>,
  onRead: (name: string, rows: number) => void = () => {},
): Promise<Instrument[]> {
  const instruments: Instrument[] = [];
  for (const file of files) {
    const name = instrumentName(file);
    const read = await readTickFile(file);
    const group = Object.entries(groups).find(([, members]) => members.includes(name))?.[0] ?? name;
    instruments.push({ name, group, series: read.series, file: { name: path.basename(file), sha256: read.sha256, rows: read.rows } });
    onRead(name, read.rows);
  }
  return instruments;
}
