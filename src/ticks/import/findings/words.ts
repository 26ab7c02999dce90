import type { Advice, Finding, Severity, TrainedDensity } from '../ImportReport.ts';

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

export const finding = (code: string, severity: Severity, text: string, advice: readonly Advice[], count = 1): Finding => ({
  ...{ code, severity, text, advice, count },
});

export const source = (text: string): Advice => ({ code: 'source', text });
export const command = (text: string): Advice => ({ code: 'command', text });
export const nothing = (text: string): Advice => ({ code: 'nothing_to_do', text });
/** About rows that cannot be read. */
export const SO_MANY = 'So many are no slips: correct them, or export the file again.';
export const percent = (fraction: number): string => `${Number((100 * fraction).toPrecision(2))} %`;

export function duration(us: number): string {
  const s = us / 1e6;
  if (s < 1) return `${Number((s * 1000).toPrecision(2))} ms`;
  if (s < 120) return `${Number(s.toPrecision(2))} s`;
  if (s < 7200) return `${Math.round(s / 60)} min`;
  return s < 172_800 ? `${Number((s / 3600).toFixed(1))} h` : `${Number((s / 86_400).toFixed(1))} days`;
}
