import type { RowSet } from '../data/RowSet.ts';
import type { TickSource } from '../data/TickSource.ts';
import { horizonOf, type Scores } from './Scores.ts';

/** One series at one horizon: origins as microseconds (Float64, little endian, base64) and probabilities (Float32, the same). */
type FoldCell = {
  readonly fileSha256: string;
  readonly horizonS: number;
  readonly originUs: string;
  readonly probability: string;
};

export type OutOfFoldFile = {
  readonly format: 'tickmark-out-of-fold/1';
  /** Names of the left-out groups. */
  readonly folds: readonly string[];
  readonly cells: readonly FoldCell[];
};

/**
 * Predictions of a base for rows that it never saw, by series, horizon and origin. They allow the comparison with a later base on the same
 * origins and folds, although the served weights of both are trained on all of them.
 */
export function writeOutOfFold(rows: RowSet, scores: Scores, sources: readonly TickSource[], folds: readonly string[]): string {
  const cells = new Map<string, { fileSha256: string; horizonS: number; entries: number[] }>();
  scores.row.forEach((row, at) => {
    const fileSha256 = sources[rows.instrument[row] as number]?.file.sha256 ?? '';
    const horizonS = horizonOf(rows, row);
    const key = `${fileSha256}/${horizonS}`;
    const cell = cells.get(key) ?? { fileSha256, horizonS, entries: [] };
    cell.entries.push(at);
    cells.set(key, cell);
  });
  const file: OutOfFoldFile = {
    format: 'tickmark-out-of-fold/1',
    folds,
    cells: [...cells.values()].map(({ fileSha256, horizonS, entries }) => ({
      fileSha256,
      horizonS,
      originUs: base64Of(Float64Array.from(entries, (at) => rows.originUs[scores.row[at] as number] as number)),
      probability: base64Of(Float32Array.from(entries, (at) => scores.candidate[at] as number)),
    })),
  };
  return JSON.stringify(file);
}

/** Probabilities of another base for these rows, matched by series, horizon and origin; NaN if it has none for a row. */
export function readOutOfFold(text: string, rows: RowSet, index: Int32Array, sources: readonly TickSource[]): Float64Array {
  const { cells } = JSON.parse(text) as OutOfFoldFile;
  const known = new Map<string, number>();
  for (const { fileSha256, horizonS, originUs, probability } of cells) {
    const origins = new Float64Array(bytesOf(originUs));
    const values = new Float32Array(bytesOf(probability));
    origins.forEach((us, i) => known.set(`${fileSha256}/${horizonS}/${us}`, values[i] as number));
  }
  return Float64Array.from(index, (row) => {
    const sha = sources[rows.instrument[row] as number]?.file.sha256 ?? '';
    return known.get(`${sha}/${horizonOf(rows, row)}/${rows.originUs[row]}`) ?? NaN;
  });
}

const base64Of = (values: Float64Array | Float32Array): string =>
  Buffer.from(values.buffer, values.byteOffset, values.byteLength).toString('base64');

function bytesOf(text: string): ArrayBuffer {
  return Uint8Array.from(Buffer.from(text, 'base64')).buffer;
}
