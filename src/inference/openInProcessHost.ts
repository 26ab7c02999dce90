import { ServiceError } from '../core/ServiceError.ts';
import type { ModelFolder } from '../model/modelFiles.ts';
import { Network } from '../model/Network.ts';
import { ReadoutChoice } from '../model/ReadoutChoice.ts';
import type { Runtime } from '../runtime/Runtime.ts';
import type { InferenceHost, InferenceRow } from './InferenceHost.ts';
import { selfCheck } from './selfCheck.ts';
import { warmUp, type WarmedBatch } from './warmUp.ts';

export type InProcessHost = InferenceHost & {
  /** What was measured at the start, by batch size; empty without a version. */
  readonly warmed: readonly WarmedBatch[];
};

/**
 * Puts every version on the opened backend, warms it up, checks each against its golden rows by the ways it will take in service, and answers
 * rows one at a time on the calling thread. `batches`: the sizes to measure, by default those of a service. Throws ServiceError
 * `model.refused` when a version does not give its golden answers.
 */
export function openInProcessHost(
  versions: readonly ModelFolder[],
  { tune, batches }: Pick<Runtime, 'tune'> & { readonly batches?: readonly number[] } = {},
): InProcessHost {
  const networks = new Map<string, Network>();
  /** Networks of one shape share what was measured. */
  const shapes = new Map<string, { readonly choice: ReadoutChoice; readonly warmed: readonly WarmedBatch[] }>();
  const close = (): Promise<void> => {
    for (const network of networks.values()) network.dispose();
    networks.clear();
    return Promise.resolve();
  };
  try {
    for (const { manifest, weights, golden } of versions) {
      const key = JSON.stringify(manifest.network);
      const choice = shapes.get(key)?.choice ?? new ReadoutChoice();
      const network = new Network(manifest.network, weights, choice);
      networks.set(manifest.id, network);
      if (!shapes.has(key)) shapes.set(key, { choice, warmed: warmUp(network, tune, choice, batches) });
      selfCheck(manifest.id, network, golden);
    }
  } catch (error) {
    void close();
    throw error;
  }
  return {
    infer: async (modelId, row) => {
      const network = networks.get(modelId);
      if (network === undefined) throw new ServiceError('model.unknown', `No model ${modelId} is loaded.`);
      return runOne(modelId, network, row);
    },
    warmed: [...shapes.values()][0]?.warmed ?? [],
    close,
  };
}

function runOne(modelId: string, network: Network, row: InferenceRow) {
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
    throw new ServiceError('inference.failed', `Model ${modelId} could not be run.`, { cause });
  }
  if (output === undefined || !Number.isFinite(output.baselineLogit + output.residualLogit + output.directionLogit))
    throw new ServiceError('inference.failed', `Model ${modelId} gave a logit that is not finite.`);
  return output;
}
