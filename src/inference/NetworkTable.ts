import { ServiceError } from '../core/ServiceError.ts';
import type { ModelFolder } from '../model/modelFiles.ts';
import type { NetworkBatch } from '../model/Network.ts';
import type { NetworkOutput } from '../model/NetworkSpec.ts';
import type { HeldNetwork, NetworkPool } from './NetworkPool.ts';
import { runBatch } from './runBatch.ts';

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
