import type { Clock } from '../../core/Clock.ts';
import type { ModelFolder } from '../modelFiles.ts';

/** Folders of the versions, and dependencies for a change of the default. */
export type Registry = {
  /** The versions that ship with tickmark; never changed. */
  readonly shippedDir: string;
  /** The user's versions, with current.json and history.jsonl. */
  readonly modelsDir: string;
  readonly clock: Clock;
  /** Runs a loaded version against its golden rows. Throws ServiceError `model.refused`. */
  check(version: ModelFolder): void | Promise<void>;
};
