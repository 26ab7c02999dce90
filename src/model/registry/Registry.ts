import type { Clock } from '../../core/Clock.ts';
import type { ModelFolder } from '../modelFiles.ts';

/** Where the versions are, and what changing the default needs. */
export type Registry = {
  /** The versions that ship with tickmark; never changed. */
  readonly shippedDir: string;
  /** The owner's versions, with current.json and history.jsonl. */
  readonly modelsDir: string;
  readonly clock: Clock;
  /** Runs a loaded version against its golden rows. Throws ServiceError `model.refused`. */
  check(version: ModelFolder): void | Promise<void>;
};
