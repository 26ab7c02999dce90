import { type Side, type TimedElsewhere } from '../measure.ts';
import { type LstmWeights } from './onnxLstm.ts';

/** Another runtime for the same LSTM, on the processor, one thread. */
export type LstmPeer = {
  /** Name and version, for the table. */
  readonly name: string;
  /** Sets the layer and its input up, in place of what was set up before; answers the last states [B,H]. */
  load(weights: LstmWeights, x: Float32Array, shape: readonly [batch: number, steps: number, columns: number]): Promise<Float32Array>;
  /** One call from the input to an array of the last states. */
  readonly side: Side;
  /** The same with the gradients of the weights, where it has them. */
  readonly stepSide?: TimedElsewhere;
  close(): void;
};

/** What a peer lacks here, in words for whoever runs the bench. */
export type PeerMissing = { readonly missing: string };
