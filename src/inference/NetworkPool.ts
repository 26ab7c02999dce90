import { createHash } from 'node:crypto';
import type { ModelFolder } from '../model/modelFiles.ts';
import { Network } from '../model/Network.ts';
import { WEIGHT_NAMES } from '../model/NetworkWeights.ts';
import { ReadoutChoice } from '../model/ReadoutChoice.ts';
import type { Runtime } from '../runtime/Runtime.ts';
import { selfCheck } from './selfCheck.ts';
import { warmUp, type WarmedBatch } from './warmUp.ts';

export type PoolOptions = Partial<Pick<Runtime, 'tune'>> & {
  /** The sizes to measure, by default those of a service. */
  readonly batches?: readonly number[];
};

type NetworkFiles = Pick<ModelFolder, 'manifest' | 'weights' | 'golden'>;
type Open = { readonly network: Network; holders: number };
/** `release` is called once. */
export type HeldNetwork = { readonly network: Network; readonly release: () => void };

/** The networks on the opened backend of this process, each warm and checked. Holders of the same weights share one network. */
export class NetworkPool {
  readonly #options: PoolOptions;
  /** By the digest of what they were made from. */
  readonly #open = new Map<string, Open>();
  /** Networks of one shape share what was measured. */
  readonly #shapes = new Map<string, { readonly choice: ReadoutChoice; readonly warmed: readonly WarmedBatch[] }>();

  constructor(options: PoolOptions = {}) {
    this.#options = options;
  }

  /** What was measured with the first version, by batch size; empty without a version. */
  get warmed(): readonly WarmedBatch[] {
    return [...this.#shapes.values()][0]?.warmed ?? [];
  }

  /** The last holder's `release` frees the network. Throws ServiceError `model.refused`; nothing of the version is left then. */
  hold(files: NetworkFiles): HeldNetwork {
    const digest = digestOf(files);
    const open = this.#open.get(digest) ?? { network: this.#make(files), holders: 0 };
    this.#open.set(digest, open);
    open.holders++;
    const release = (): void => {
      if (--open.holders > 0) return;
      open.network.dispose();
      this.#open.delete(digest);
    };
    return { network: open.network, release };
  }

  #make({ manifest, weights, golden }: NetworkFiles): Network {
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
    return network;
  }
}

/** Golden rows count: weights that were checked against other ones are not checked. */
function digestOf({ manifest, weights, golden }: NetworkFiles): string {
  const hash = createHash('sha256').update(JSON.stringify([manifest.network, golden]));
  for (const name of WEIGHT_NAMES) hash.update(weights[name]);
  return hash.digest('hex');
}
