import { MAX_MEMORY_BYTES } from '../../engine/memory/SeriesMemory.ts';

/** A series of an account. */
export type MemoryKey = { readonly accountId: string; readonly series: string };

export type StoredMemory = {
  /** As `SeriesMemory.save` wrote them. */
  readonly bytes: Uint8Array;
  /** Counts the writes of the series. */
  readonly revision: number;
};

export type WriteResult = boolean | 'full';

export type MemoryRow = MemoryKey & { readonly bytes: Uint8Array };

/** What the memories of an account take at most, and so many series at their largest. */
const MOST_ACCOUNT_BYTES = 6 * 1024 * 1024;
export const MOST_MEMORIES = MOST_ACCOUNT_BYTES / MAX_MEMORY_BYTES;
/** A memory that was used within this time makes no room for another one: series in turn would push out each other before each is used again. */
export const IN_USE_MS = 3_600_000;

/**
 * The part of the account store that keeps the memory of series. A memory that is lost in a crash is learned again, so a write need not
 * survive one. Every method throws only ServiceError `store.unavailable`.
 */
export type MemoryStore = {
  /** `known`: a revision whose bytes the caller has; if it is the stored one, they are not read again. */
  readMemory(key: MemoryKey, known?: number): Promise<StoredMemory | 'unchanged' | undefined>;
  /**
   * Writes if the revision is still `before`, 0 for a new series; resolves to whether it did. Of more than MOST_MEMORIES series of an
   * account, the one that was not written for longest goes; `full`: all were written within IN_USE_MS, and the new one is not kept. Nothing is kept of
   * an account that does not exist.
   */
  writeMemory(row: MemoryRow, before: number, atMs: number): Promise<WriteResult>;
  /** All of an account, by name. */
  listMemories(accountId: string): Promise<readonly MemoryRow[]>;
  /** Writes those of series without a memory. */
  importMemories(rows: readonly MemoryRow[], atMs: number): Promise<void>;
};
