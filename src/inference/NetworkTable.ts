import { ServiceError } from '../core/ServiceError.ts';
import type { ModelFolder } from '../model/modelFiles.ts';
import { Network, type NetworkBatch } from '../model/Network.ts';
import type { NetworkOutput } from '../model/NetworkSpec.ts';
import { ReadoutChoice } from '../model/ReadoutChoice.ts';
import type { Runtime } from '../runtime/Runtime.ts';
import { runBatch } from './runBatch.ts';
import { selfCheck } from './selfCheck.ts';
import { warmUp, type WarmedBatch } from './warmUp.ts';

export type TableOptions = Partial<Pick<Runtime, 'tune'>> & {
  /** The sizes to measure, by default those of a service. */
  readonly batches?: readonly number[];
};

/** The networks on the opened backend of this process, by name, each warm and checked. */
export class NetworkTable {
  readonly #options: TableOptions;
  readonly #networks = new Map<string, Network>();
  /** Networks of one shape share what was measured. */
  readonly #shapes = new Map<string, { readonly choice: ReadoutChoice; readonly warmed: readonly WarmedBatch[] }>();

  constructor(options: TableOptions = {}) {
    this.#options = options;
  }

  /** What was measured with the first version, by batch size; empty without a version. */
  get warmed(): readonly WarmedBatch[] {
    return [...this.#shapes.values()][0]?.warmed ?? [];
  }

  /** Throws ServiceError `model.refused`; nothing of the version is left then. A network that is open already is replaced. */
  open(networkId: string, { manifest, weights, golden }: Pick<ModelFolder, 'manifest' | 'weights' | 'golden'>): void {
    const { tune, batches } = this.#options;
    const key = JSON.stringify(manifest.network);
    const choice = this.#shapes.get(key)?.choice ?? new ReadoutChoice();
    const network = new Network(manifest.network, weights, choice);
    try {
      const warmed = this.#shapes.get(key)?.warmed ?? warmUp(network, tune, choice, batches);
      selfCheck(manifest.id, network, golden);
      this.#shapes.set(key, { choice, warmed });
    } catch (error) {
      network.dispose();
      throw error;
    }
    this.drop(networkId);
    this.#networks.set(networkId, network);
  }

  drop(networkId: string): void {
    this.#networks.get(networkId)?.dispose();
    this.#networks.delete(networkId);
  }

  /** See `runBatch`; throws ServiceError `model.unknown` too. */
  run(networkId: string, batch: NetworkBatch): (NetworkOutput | ServiceError)[] {
    const network = this.#networks.get(networkId);
    if (network === undefined) throw new ServiceError('model.unknown', `No model ${networkId} is loaded.`);
    return runBatch(networkId, network, batch);
  }

  close(): void {
    for (const networkId of [...this.#networks.keys()]) this.drop(networkId);
  }
}
