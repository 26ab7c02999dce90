import type * as tfcore from '@tensorflow/tfjs-core';
import type { LstmShape } from './lstm/LstmProgram.ts';

export type BackendName = 'cuda' | 'tensorflow-cuda' | 'native' | 'wasm' | 'cpu';

/** An opened TensorFlow.js backend with the FusedLSTM kernels registered. One per process. */
export type Runtime = {
  readonly backend: BackendName;
  /** The only tfjs-core instance; its default backend is `backend`. */
  readonly tf: typeof tfcore;
  /** One line for logs and /health/ready: device, versions, SIMD. */
  readonly description: string;
  /** Measures the processor and the card on one shape and chooses the faster one for later batches. Defined if our kernels run on a card. */
  readonly tune?: (shape: LstmShape) => LstmTuning;
  /** Why each better candidate was not used. */
  readonly refused: readonly { readonly candidate: string; readonly reason: string }[];
};

/** Environment of the process, passed in by its owner. TensorFlow reads it when its library is loaded. */
export type ProcessEnvironment = Record<string, string | undefined>;

/** Result of measuring one shape. `cuda`: our kernels on a card; `simd`: our WebAssembly module on the processor. */
export type LstmTuning = LstmShape & {
  readonly chosen: 'cuda' | 'simd';
  /** Lower quartile of one forward pass, from values in memory to values in memory; only with correct results. */
  readonly timesMs: Readonly<Partial<Record<'cuda' | 'simd', number>>>;
  /** Why the card is not used. */
  readonly refused: Readonly<{ cuda?: string }>;
};

export type OpenedBackend = {
  /** One line with device and versions. */
  readonly description: string;
  /** As in Runtime. */
  readonly tune?: (shape: LstmShape) => LstmTuning;
};

export type Missing = { readonly reason: string; readonly remedy: string };

/** What happened to an NVIDIA card that computes batches. They are computed by WebAssembly then. */
export type CardFault = { readonly message: string; readonly isTriedAgain: boolean };

/** One way to run TensorFlow.js. Each has its own file; openRuntime.ts lists them, best first. */
export type BackendCandidate = {
  readonly name: BackendName;
  /** Native code is first tried in a child process, so that a crash or hang costs only that process. */
  readonly isNative: boolean;
  /** What is missing on this machine according to its files, with the command that fixes it; undefined if nothing is known to be missing. */
  missing(): Missing | undefined;
  /**
   * Loads the backend's package, makes it the default backend and registers the FusedLSTM kernels on it.
   * Throws with the reason if it cannot be used on this machine.
   */
  open(environment: ProcessEnvironment, onCardFault?: (fault: CardFault) => void): Promise<OpenedBackend>;
};
