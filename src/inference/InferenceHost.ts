import type { Asking } from '../batching/Batcher.ts';
import type { NetworkOutput } from '../model/NetworkSpec.ts';

/** One row for the network; the arrays are read before `infer` returns its promise, the caller may reuse them after. */
export type InferenceRow = {
  /** SEQUENCE_STEPS * SEQUENCE_COLUMNS, row-major. */
  readonly sequence: Float32Array;
  readonly context: Float32Array;
  readonly baseline: number;
  /** Index of the horizon bucket. */
  readonly head: number;
};

/**
 * Runs loaded networks. Called by forecast; throws ServiceError `model.unknown`, `inference.failed`, and what a Batcher throws. Without `asking`
 * nobody is in a hurry.
 */
export type InferenceHost = {
  infer(networkId: string, row: InferenceRow, asking?: Asking): Promise<NetworkOutput>;
  close(): Promise<void>;
};
