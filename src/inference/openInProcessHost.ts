import { ServiceError } from '../core/ServiceError.ts';
import type { ModelFolder } from '../model/modelFiles.ts';
import { Network } from '../model/Network.ts';
import { ReadoutChoice } from '../model/ReadoutChoice.ts';
import type { Runtime } from '../runtime/Runtime.ts';
import type { InferenceHost, InferenceRow } from './InferenceHost.ts';
import { selfCheck } from './selfCheck.ts';
import { warmUp, type WarmedBatch } from './warmUp.ts';

export type InProcessHost = InferenceHost & {
  /** What was measured with the first version, by batch size; empty without a version. */
  readonly warmed: readonly WarmedBatch[];
  /**
   * Puts a version on the backend under `networkId`, warms it up and checks it against its golden rows. Throws ServiceError `model.refused`;
   * nothing of it is left then.
   */
  open(networkId: string, version: ModelFolder): void;
  /** Frees what `open` took. The caller sees to it that nobody asks for it any more. */
  drop(networkId: string): void;
};

export type HostOptions = Pick<Runtime, 'tune'> & {
  /** The sizes to measure, by default those of a service. */
  readonly batches?: readonly number[];
};

/**
 * Puts every version on the opened backend under its id, warms it up, checks each against its golden rows by the ways it will take in service, and
 * answers rows one at a time on the calling thread. Throws ServiceError `model.refused` when a version does not give its golden answers.
 */
export function openInProcessHost(versions: readonly ModelFolder[], { tune, batches }: HostOptions = {}): InProcessHost {
  const networks = new Map<string, Network>();
  /** Networks of one shape share what was measured. */
  const shapes = new Map<string, { readonly choice: ReadoutChoice; readonly warmed: readonly WarmedBatch[] }>();
  const open = (networkId: string, { manifest, weights, golden }: ModelFolder): void => {
    const key = JSON.stringify(manifest.network);
    const choice = shapes.get(key)?.choice ?? new ReadoutChoice();
    const network = new Network(manifest.network, weights, choice);
    try {
      const warmed = shapes.get(key)?.warmed ?? warmUp(network, tune, choice, batches);
      selfCheck(manifest.id, network, golden);
      shapes.set(key, { choice, warmed });
    } catch (error) {
      network.dispose();
      throw error;
    }
    networks.set(networkId, network);
  };
  const drop = (networkId: string): void => {
    networks.get(networkId)?.dispose();
    networks.delete(networkId);
  };
  const closeAll = (): void => {
    for (const networkId of [...networks.keys()]) drop(networkId);
  };
  try {
    for (const version of versions) open(version.manifest.id, version);
  } catch (error) {
    closeAll();
    throw error;
  }
  return {
    infer: async (networkId, row) => {
      const network = networks.get(networkId);
      if (network === undefined) throw new ServiceError('model.unknown', `No model ${networkId} is loaded.`);
      return runOne(networkId, network, row);
    },
    open,
    drop,
    get warmed() {
      return [...shapes.values()][0]?.warmed ?? [];
    },
    close: () => Promise.resolve(closeAll()),
  };
}

function runOne(networkId: string, network: Network, row: InferenceRow) {
  let output;
  try {
    output = network.run({
      size: 1,
      sequence: row.sequence,
      context: row.context,
      baseline: Float32Array.of(row.baseline),
      heads: [row.head],
    })[0];
  } catch (cause) {
    throw new ServiceError('inference.failed', `Model ${networkId} could not be run.`, { cause });
  }
  if (output === undefined || !Number.isFinite(output.baselineLogit + output.residualLogit + output.directionLogit))
    throw new ServiceError('inference.failed', `Model ${networkId} gave a logit that is not finite.`);
  return output;
}
