import type { TrainedDensity } from '../ImportReport.ts';

/** What the findings depend on besides the ticks. */
export type QualityContext = {
  readonly word: 'line' | 'row';
  /** What stamps without a zone were read as; undefined where they carry one. */
  readonly zone: string | undefined;
  readonly trained: TrainedDensity | undefined;
  /** Length of the bars, microseconds; 0 for ticks. */
  readonly barPeriodUs: number;
  /** Rows of data, those that were left out included. */
  readonly rows: number;
  /** Each row has a number of its own: equal rows are one event, written twice. */
  readonly hasRowIds: boolean;
  /** What is wrong with the first row that cannot be read, and whether there are too many of them to leave out. */
  readonly malformed: { readonly found: string; readonly isMany: boolean } | undefined;
  /** What to do about rows that are earlier than those before. */
  readonly lateAdvice: string;
  /** The end of next year. */
  readonly latestUs: number;
  /** Stamps are numbers, whose unit was told by the year that they give. */
  readonly isEpoch: boolean;
};
