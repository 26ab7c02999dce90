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

/**
 * The user's versions, and which one is the default. A folder (`FolderVersions`) is for one machine, a database (`MongoVersions`) for several.
 * Every method may throw ServiceError `store.unavailable`; those that write, `file.unwritable` and `model.registry_busy`.
 */
export type VersionStore = {
  /** Where it is, for messages. */
  readonly place: string;
  /** Throws nothing for broken records, because a promotion repairs them: they are in `faults`. */
  state(): Promise<RegistryState>;
  /**
   * Makes `id` the default, if it is a version or in `shippedIds`, and if the default is still that of `before`. Throws ServiceError
   * `model.registry_busy` or `model.unknown`; nothing changes then.
   */
  change(before: RegistryState, id: string | null, by: HistoryEntry['by'], shippedIds: readonly string[]): Promise<Change>;
  /** Ids, sorted. */
  list(): Promise<readonly string[]>;
  /** What lies among the versions and is none: for `models verify`. */
  invalidEntries(): Promise<readonly { readonly path: string; readonly fault: string }[]>;
  /** The folder with the files of a version, which are downloaded if they are not on this machine. Throws ServiceError `model.unknown`, `model.refused`. */
  folderOf(id: string): Promise<string>;
  /** Adds the version in `folder`, which has been loaded and checked. False if it was there. Throws ServiceError `model.refused` if another one has its id. */
  push(folder: string): Promise<boolean>;
  /** Removes versions, if the default is still that of `before`. Throws ServiceError `model.registry_busy`. */
  remove(before: RegistryState, ids: readonly string[]): Promise<void>;
};
