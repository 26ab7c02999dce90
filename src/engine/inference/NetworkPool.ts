import { ServiceError } from '../../core/ServiceError.ts';
import { Network, ReadoutChoice } from '../model/Network.ts';
import { type NetworkBatch, type NetworkOutput, WEIGHT_NAMES, type WeightArrays } from '../model/NetworkWeights.ts';
import type { ModelFolder } from '../model/modelFiles.ts';
import type { Runtime } from '../runtime/Runtime.ts';
import { runBatch } from './runBatch.ts';
import { selfCheck } from './selfCheck.ts';
import { warmUp, type WarmedBatch } from './warmUp.ts';

/** The networks of one service process, by name. */
export class NetworkTable {
  readonly #pool: NetworkPool;
  readonly #networks = new Map<string, HeldNetwork>();

  constructor(pool: NetworkPool) {
    this.#pool = pool;
  }

  /** Throws ServiceError `model.refused`; nothing of the version is left then. A network that is open already is replaced. */
  open(networkId: string, version: Pick<ModelFolder, 'manifest' | 'weights' | 'golden'>): void {
    const held = this.#pool.hold(version);
    this.drop(networkId);
    this.#networks.set(networkId, held);
  }

  drop(networkId: string): void {
    this.#networks.get(networkId)?.release();
    this.#networks.delete(networkId);
  }

  /** See `runBatch`; throws ServiceError `model.unknown` too. */
  run(networkId: string, batch: NetworkBatch): (NetworkOutput | ServiceError)[] {
    const network = this.#networks.get(networkId)?.network;
    if (network === undefined) throw new ServiceError('model.unknown', `No model ${networkId} is loaded.`);
    return runBatch(networkId, network, batch);
  }

  close(): void {
    for (const networkId of [...this.#networks.keys()]) this.drop(networkId);
  }
}

export type PoolOptions = Partial<Pick<Runtime, 'tune'>> & {
  /** The sizes to measure, by default those of a service. */
  readonly batches?: readonly number[];
};

type NetworkFiles = Pick<ModelFolder, 'manifest' | 'weights' | 'golden'>;
type Open = { readonly network: Network; readonly key: string; readonly weights: WeightArrays; holders: number };
/** `release` is called once. */
export type HeldNetwork = { readonly network: Network; readonly release: () => void };

/** The networks on the opened backend of this process, each warm and checked. Holders of the same weights share one network. */
export class NetworkPool {
  readonly #options: PoolOptions;
  readonly #open = new Set<Open>();
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
    const { weights } = files;
    const key = keyOf(files);
    const same = [...this.#open].find((other) => other.key === key && areSame(other.weights, weights));
    const open = same ?? { network: this.#make(files), key, weights, holders: 0 };
    this.#open.add(open);
    open.holders++;
    const release = (): void => {
      if (--open.holders > 0) return;
      open.network.dispose();
      this.#open.delete(open);
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
const keyOf = ({ manifest, golden }: NetworkFiles): string => JSON.stringify([manifest.network, golden]);

function areSame(one: WeightArrays, other: WeightArrays): boolean {
  return WEIGHT_NAMES.every((name) => one[name].every((value, at) => value === other[name][at]));
}
