import type { LstmShape } from './LstmProgram.ts';
import type { LstmTuning } from './LstmRoute.ts';
import type { BackendName } from './Runtime.ts';

/** The process's environment, as its owner hands it in: TensorFlow reads it when its library is loaded. */
export type ProcessEnvironment = Record<string, string | undefined>;

export type OpenedBackend = {
  /** One line on device and versions. */
  readonly description: string;
  /** As in Runtime. */
  readonly tune?: (shape: LstmShape) => LstmTuning;
};

export type Missing = { readonly reason: string; readonly remedy: string };

/** One way to run TensorFlow.js: a file each, listed in openRuntime.ts from best to last. */
export type BackendCandidate = {
  readonly name: BackendName;
  /** Native code: tried in a process of its own first, where a crash or a hang costs only that process. */
  readonly isNative: boolean;
  /** What it lacks here, as far as a look at files tells, and the command that mends it; undefined: it may work. */
  missing(): Missing | undefined;
  /**
   * Loads the backend's package, makes it the default backend and registers the FusedLSTM kernels on it.
   * Throws when it cannot be used here, the message says why.
   */
  open(environment: ProcessEnvironment): Promise<OpenedBackend>;
};
