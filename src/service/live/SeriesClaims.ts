import type { MemoryKey } from './MemoryStore.ts';

/** The memory of a series on its way from the process that had it to the next one. */
export type HandedMemory = {
  /** As `SeriesMemory.save` wrote them. */
  readonly bytes: Uint8Array;
  /** Of the stored memory that it began with. */
  readonly revision: number;
  /** Whether the stored memory is this one. */
  readonly isWritten: boolean;
  /** Its forecasts without an outcome; they survive JSON. */
  readonly forecasts: readonly object[];
};

/** The forecasts of series that wait for their outcome in this process. */
export type CarriedForecasts = {
  /** Those of a series, which this process forgets. */
  handOver(key: MemoryKey): readonly object[];
  /** Those that another process has handed over. */
  takeOver(key: MemoryKey, forecasts: readonly object[]): void;
};

/** Number of a grant; undefined memory: the stored one is the newest. */
export type Granted = { readonly grant: number; readonly memory: HandedMemory | undefined };

/**
 * Which of the processes that serve one store has a series: one at a time, so that it need not be written before each answer. A grant ends with
 * `handOver`, and a recall of a grant that has ended changes nothing.
 */
export type SeriesClaims = {
  /** Resolves when no other process has the series. Rejects if this process has lost the others. */
  claim(key: MemoryKey): Promise<Granted>;
  /** Ends a grant. */
  handOver(key: MemoryKey, grant: number, memory: HandedMemory | undefined): void;
  /** Called when another process claims a series that was granted here. */
  onRecall(run: (key: MemoryKey, grant: number) => void): void;
};
