import { type BackendName } from './Runtime.ts';

/** One way to run TensorFlow.js: a file each, listed in openRuntime.ts from best to last. */
export type BackendCandidate = {
  readonly name: BackendName;
  /**
   * Loads the backend's package, makes it the default backend and registers the FusedLSTM kernels on it.
   * Returns one line on device and versions; throws when it cannot be used here, the message says why.
   */
  open(): Promise<string>;
};
