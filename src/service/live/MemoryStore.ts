/** A series of an account. */
export type MemoryKey = { readonly accountId: string; readonly series: string };

export type StoredMemory = {
  /** As `SeriesMemory.save` wrote them. */
  readonly bytes: Uint8Array;
  /** Counts the writes of the series. */
  readonly revision: number;
};

export type MemoryRow = MemoryKey & { readonly bytes: Uint8Array };

/** Series of an account whose memory is kept: 1.5 MB. */
export const MOST_MEMORIES = 64;

/**
 * The part of the account store that keeps the memory of series. A memory that is lost in a crash is learned again, so a write need not
 * survive one. Every method throws only ServiceError `store.unavailable`.
 */
export type MemoryStore = {
  /** `known`: a revision whose bytes the caller has; if it is the stored one, they are not read again. */
  readMemory(key: MemoryKey, known?: number): Promise<StoredMemory | 'unchanged' | undefined>;
  /**
   * Writes if the revision is still `before`, 0 for a new series; resolves to whether it did. Of more than MOST_MEMORIES series of an
   * account, the one that was not written for longest goes. Nothing is kept of an account that does not exist.
   */
  writeMemory(row: MemoryRow, before: number, atMs: number): Promise<boolean>;
  /** All of an account, by name. */
  listMemories(accountId: string): Promise<readonly MemoryRow[]>;
  /** Writes those of series without a memory. */
  importMemories(rows: readonly MemoryRow[], atMs: number): Promise<void>;
};
