import type { TickSeries } from '../ticks/TickSeries.ts';
import type { BarTime } from '../../../clients/typescript/src/index.ts';
import type { TrainedDensity } from '../../ticks/import/ImportReport.ts';

/** What is known about a file that its content does not tell. */
export type ReadOptions = {
  /** What the serving model was trained on; null: not known, and not mentioned. */
  readonly trained: TrainedDensity | null;
  /** The zone of stamps that carry none; null: that of the format, else UTC. */
  readonly zone: string | null;
  /** One of the ways that the importer proposed where the file itself does not tell how it is read; null: told by the file. */
  readonly way: string | null;
  /** What the stamps of bars are; null: told by the file. */
  readonly barTime: BarTime | null;
};

/** To the worker: one file or pasted text, read as bytes. */
export type ReadOrder = ReadOptions & { readonly file: Blob; readonly name: string; readonly keep: number };

/** A sentence or two on what was found in a file. A warning: forecasts of it are worse, or none. */
export type FileNote = { readonly text: string; readonly isWarning: boolean };

/** What was found in a file, for people. */
export type FileReport = {
  /** Ticks in the file, those that were not kept included. */
  readonly ticks: number;
  readonly bytes: number;
  /** The detected format. */
  readonly format: string;
  /** How the file was read, for people: the columns of time and price, and the first and the last price. */
  readonly plan: string;
  readonly notes: readonly FileNote[];
  /** The zone in which stamps without a zone were read; null if they carry one. */
  readonly zone: string | null;
  /** Of bars: how long they are, and what their stamps were read as; `barTime` null: the file does not tell. */
  readonly bars: { readonly periodMs: number; readonly barTime: BarTime | null } | null;
};

/** Plain sentences: what was found, what to do. `ways`: the file can be read in one of these. */
export type Refusal = { readonly message: string; readonly ways: readonly string[] };

export type FromWorker =
  | { readonly kind: 'progress'; readonly bytes: number; readonly ticks: number }
  | { readonly kind: 'done'; readonly series: TickSeries; readonly report: FileReport }
  | ({ readonly kind: 'refused' } & Refusal);
