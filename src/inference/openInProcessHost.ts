import { ServiceError } from '../core/ServiceError.ts';
import type { ModelFolder } from '../model/modelFiles.ts';
import { Network } from '../model/Network.ts';
import type { InferenceHost, InferenceRow } from './InferenceHost.ts';
import { selfCheck } from './selfCheck.ts';

/**
 * Puts every version on the opened backend, checks each against its golden rows (which also warms it up), and answers rows one
 * at a time on the calling thread. Throws ServiceError `model.refused` when a version does not give its golden answers.
 */
export function openInProcessHost(versions: readonly ModelFolder[]): InferenceHost {
  const networks = new Map<string, Network>();
  const close = (): Promise<void> => {
    for (const network of networks.values()) network.dispose();
    networks.clear();
    return Promise.resolve();
  };
  try {
    for (const version of versions) {
      const network = new Network(version.manifest.network, version.weights);
      networks.set(version.manifest.id, network);
      selfCheck(version.manifest.id, network, version.golden);
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
