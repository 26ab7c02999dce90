import { systemClock } from '../../core/Clock.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import { KernelNetwork } from '../model/KernelNetwork.ts';
import { openKernel } from '../runtime/lstm/openTrunkProgram.ts';
import type { NetworkOutput } from '../model/NetworkWeights.ts';
import type { InferenceHost, InferenceRow, NetworkControl } from './InferenceHost.ts';
import { IN_TURN, MicroBatcher } from './MicroBatcher.ts';
import { joinRows, runBatch } from './runBatch.ts';
import { selfCheck } from './selfCheck.ts';

/** Enough for the thresholds of a window; more would only hold memory. */
const MAX_BATCH = 64;

/**
 * Runs versions on the kernel alone, on the calling thread, in Node.js or in a page: for one caller, so deadlines are not looked at. Rows that are asked
 * for in one turn run together: the thresholds of a window share its LSTM. Throws what `openKernel` throws.
 */
export async function openKernelHost(): Promise<InferenceHost & NetworkControl> {
  const program = await openKernel();
  const networks = new Map<string, KernelNetwork>();
  const batcher = new MicroBatcher<InferenceRow, NetworkOutput>({
    ...IN_TURN,
    async run(networkId, rows) {
      const network = networks.get(networkId);
      if (network === undefined) throw new ServiceError('model.unknown', `No model ${networkId} is loaded.`);
      return runBatch(networkId, network, joinRows(rows));
    },
    clock: systemClock,
    maxBatch: () => MAX_BATCH,
  });
  return {
    infer: (networkId, row) => batcher.submit(networkId, row),
    async open(networkId, { manifest, weights, golden }) {
      const network = new KernelNetwork(manifest.network, weights, program);
      selfCheck(manifest.id, network, golden);
      networks.set(networkId, network);
    },
    drop: (networkId) => void networks.delete(networkId),
    async close() {
      batcher.close();
      networks.clear();
    },
  };
}
