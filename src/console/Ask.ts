import type { Forecast } from './service/Service.ts';
import type { FormOptions } from './FormOptions.ts';
import type { TickSeries } from './ticks/TickSeries.ts';
import type { FileNote } from './worker/messages.ts';

/** Where the ticks come from. */
export type Source = {
  readonly kind: 'sample' | 'file' | 'pasted';
  readonly name: string;
  readonly text: string;
  readonly notes: readonly FileNote[];
  /** The zone in which stamps without a zone were read; null if they carry one. */
  readonly zone: string | null;
  readonly series: TickSeries;
};

/** One question: a window of a source, a future time, options. */
export type Ask = {
  readonly options: FormOptions;
  readonly source: Source;
  /** Index of the last tick sent. */
  readonly origin: number;
  readonly count: number;
  readonly horizonMs: number;
  /** Whether this price is reached is asked as well; null: none. */
  readonly level: number | null;
  /** The version that answers; null: the default one. */
  readonly model: string | null;
};

export type Answered = { readonly ask: Ask; readonly forecast: Forecast };

export function isSameAsk(a: Ask, b: Ask): boolean {
  const isAlike = a.horizonMs === b.horizonMs && JSON.stringify(a.options) === JSON.stringify(b.options);
  return isAlike && isSameWindow(a, b) && a.model === b.model && a.level === b.level;
}

/** The options of the forecast. */
export const optionsOf = ({ options, level }: Pick<Ask, 'options' | 'level'>): FormOptions =>
  level === null ? options : { ...options, touch: [level] };

/** Whether both requests have the same ticks. */
export function isSameWindow(a: Ask, b: Ask): boolean {
  return a.source === b.source && a.origin === b.origin && a.count === b.count;
}
