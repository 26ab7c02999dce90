import type * as tfcore from '@tensorflow/tfjs-core';

export type BackendName = 'cpu' | 'wasm' | 'tensorflow';

/** An opened TensorFlow.js backend with the FusedLSTM kernels registered. One per process. */
export type Runtime = {
  readonly backend: BackendName;
  /** The one tfjs-core instance; its default backend is `backend`. */
  readonly tf: typeof tfcore;
  /** One line for logs and /health/ready: device, versions, SIMD. */
  readonly description: string;
  /** Why each better candidate was not taken. */
  readonly refused: readonly { readonly candidate: string; readonly reason: string }[];
};
