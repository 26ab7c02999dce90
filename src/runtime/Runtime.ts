import type * as tfcore from '@tensorflow/tfjs-core';
import type { LstmShape } from './LstmProgram.ts';
import type { LstmTuning } from './LstmRoute.ts';

export type BackendName = 'cuda' | 'native' | 'wasm' | 'cpu';

/** An opened TensorFlow.js backend with the FusedLSTM kernels registered. One per process. */
export type Runtime = {
  readonly backend: BackendName;
  /** The only tfjs-core instance; its default backend is `backend`. */
  readonly tf: typeof tfcore;
  /** One line for logs and /health/ready: device, versions, SIMD. */
  readonly description: string;
  /**
   * Measures the ways to compute FusedLSTM on one shape and chooses the fastest for later calls. Defined if there are several. Leaves no
   * tensors behind.
   */
  readonly tune?: (shape: LstmShape) => LstmTuning;
  /** Why each better candidate was not used. */
  readonly refused: readonly { readonly candidate: string; readonly reason: string }[];
};
