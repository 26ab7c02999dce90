/** One change of the default, a line of `history.jsonl`; null means the shipped default. */
export type HistoryEntry = {
  readonly id: string | null;
  readonly previous: string | null;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly by: 'promote' | 'rollback';
};

/** The default version, and how it became the default. */
export type RegistryState = {
  /** null: the shipped default. */
  readonly currentId: string | null;
  /** Completed changes, oldest first. */
  readonly history: readonly HistoryEntry[];
  /** What is wrong with the records of the registry itself; empty if nothing is. */
  readonly faults: readonly string[];
};

/** Result of a promotion or a rollback; null means the shipped default. */
export type Change = { readonly id: string | null; readonly previous: string | null; readonly changed: boolean };
