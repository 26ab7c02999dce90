import type { Side, TimedElsewhere } from '../measure.ts';
import type { LstmWeights } from './onnxLstm.ts';

/** Another runtime of the same LSTM, on the processor with one thread. */
export type LstmPeer = {
  /** Name and version, for the table. */
  readonly name: string;
  /** Sets up the layer and its input, replacing the previous ones; returns the last states [B,H]. */
  load(weights: LstmWeights, x: Float32Array, shape: readonly [batch: number, steps: number, columns: number]): Promise<Float32Array>;
  /** One call, from the input to an array of the last states. */
  readonly side: Side;
  /** The same with the gradients of the weights, if the peer has them. */
  readonly stepSide?: TimedElsewhere;
  close(): void;
};

/** The reason why a peer is unavailable, for the output of the bench. */
export type PeerMissing = { readonly missing: string };
