import { readFileSync, writeFileSync } from 'node:fs';

export type ScoredSeries = {
  readonly name: string;
  /** Tick files in time order. */
  readonly files: readonly string[];
  /** Left-out group. */
  readonly group: string;
};

const COLUMNS = ['of', 'originUs', 'horizonS', 'draw', 'theta', 'sigma', 'ewma', 'base', 'move'] as const;

/**
 * Origins with the log-odds of a base that never saw their market, one entry for each (origin, threshold). `of`: index in `series`; `draw`:
 * number of the threshold `theta` (log price), 0 for the one at which forecasts are remembered; `sigma`: sigma(600); `ewma`, `base`:
 * log-odds; `move`: from entry to exit, log price.
 */
export type ScoredRows = { readonly series: readonly ScoredSeries[] } & Readonly<Record<(typeof COLUMNS)[number], Float64Array>>;

export type ScoredRow = Record<(typeof COLUMNS)[number], number>;

export function packRows(series: readonly ScoredSeries[], rows: readonly ScoredRow[]): ScoredRows {
  const columns = COLUMNS.map((name) => [name, Float64Array.from(rows, (row) => row[name])]);
  return { series, ...(Object.fromEntries(columns) as Omit<ScoredRows, 'series'>) };
}

/** Writes a line of JSON and then the columns as doubles. */
export function writeScoredRows(file: string, rows: ScoredRows): void {
  const head = Buffer.from(`${JSON.stringify({ count: rows.of.length, series: rows.series })}\n`);
  const columns = COLUMNS.map((name) => Buffer.from(rows[name].buffer, rows[name].byteOffset, rows[name].byteLength));
  writeFileSync(file, Buffer.concat([head, ...columns]));
}

export function readScoredRows(file: string): ScoredRows {
  const bytes = readFileSync(file);
  const start = bytes.indexOf('\n') + 1;
  const { count, series } = JSON.parse(bytes.subarray(0, start).toString()) as { count: number; series: ScoredSeries[] };
  const columns = COLUMNS.map((name, at) => {
    const from = start + at * 8 * count;
    return [name, new Float64Array(Uint8Array.from(bytes.subarray(from, from + 8 * count)).buffer)] as const;
  });
  return { series, ...(Object.fromEntries(columns) as Omit<ScoredRows, 'series'>) };
}
