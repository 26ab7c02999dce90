import type { ModelFolder } from '../model/modelFiles.ts';
import type { NetworkOutput } from '../model/NetworkWeights.ts';
import type { WarmedBatch } from './warmUp.ts';

/** One row for the network; a host reads the arrays when its batch runs. */
export type InferenceRow = {
  /** SEQUENCE_STEPS * SEQUENCE_COLUMNS, row-major. */
  readonly sequence: Float32Array;
  readonly context: Float32Array;
  readonly baseline: number;
  /** Index of the horizon bucket. */
  readonly head: number;
  /** Position of its request in a trace. */
  readonly trace?: string | undefined;
};

/** Puts networks on the backend and takes them off. Called by ModelSlots. */
export type NetworkControl = {
  /**
   * Puts a version on the backend under `networkId`, warms it up and checks it against its golden rows. Throws ServiceError `model.refused`;
   * nothing of it is left then.
   */
  open(networkId: string, version: ModelFolder): Promise<void>;
  /** Frees what `open` allocated. The caller must not use the network afterwards. */
  drop(networkId: string): void;
};

/** Runs loaded networks. Called by forecast; throws ServiceError `model.unknown`, `inference.failed`, and what a MicroBatcher throws. */
export type InferenceHost = {
  /** `deadlineMs`: on the monotonic clock; left out: no limit. */
  infer(networkId: string, row: InferenceRow, deadlineMs?: number): Promise<NetworkOutput>;
  close(): Promise<void>;
};

/** What serves: hosts of this kind differ in where the network runs. */
export type ServingHost = InferenceHost &
  NetworkControl & {
    /** What was measured with the first version, by batch size; empty without a version. */
    readonly warmed: readonly WarmedBatch[];
    /** Rows that wait now. */
    readonly waiting: number;
    /** Whether rows are answered now; while it is not, they are refused with ServiceError `service.not_ready`. */
    isUp(): boolean;
  };
