import type { ModelFolder } from '../model/modelFiles.ts';
import type { HeldModel, ModelCatalog, ServedModel } from '../model/ModelManifest.ts';
import { findDated } from '../model/datedId.ts';
import type { NetworkControl } from './InferenceHost.ts';

type Slot = { readonly model: ServedModel; holders: number; isRetired: boolean };

/** A catalog that changes while it serves: new versions are prepared alongside the old ones, then all are swapped in one step. */
export class ModelSlots implements ModelCatalog {
  readonly #host: NetworkControl;
  #slots: ReadonlyMap<string, Slot> = new Map();
  #defaultId = '';
  #loads = 0;

  constructor(host: NetworkControl) {
    this.#host = host;
  }

  get defaultId(): string {
    return this.#defaultId;
  }

  find(id: string): ServedModel | undefined {
    return this.#slotOf(id)?.model;
  }

  list(): readonly ServedModel[] {
    return [...this.#slots.values()].map(({ model }) => model);
  }

  /** A version that is swapped out stays on the backend until its last holder releases it. */
  hold(id: string): HeldModel | undefined {
    const slot = this.#slotOf(id);
    if (slot === undefined) return undefined;
    slot.holders++;
    let isHeld = true;
    return {
      model: slot.model,
      release: () => {
        if (!isHeld) return;
        isHeld = false;
        slot.holders--;
        this.#dropIfUnused(slot);
      },
    };
  }

  /** Opens, warms and checks a version. Throws ServiceError `model.refused`; what runs is not touched. */
  async prepare(version: ModelFolder): Promise<ServedModel> {
    const { manifest, card, inputs, memory, bars, seen } = version;
    const { id } = manifest;
    const networkId = `${id}#${++this.#loads}`;
    await this.#host.open(networkId, version);
    return { id, networkId, manifest, card, inputs, memory, bars, seen };
  }

  /** In one step: prepared versions come (in place of one with their id), those of `gone` go, `defaultId`, one of them, answers by default. */
  swap(prepared: readonly ServedModel[], gone: readonly string[], defaultId: string): void {
    const next = new Map(this.#slots);
    const retired: Slot[] = [];
    const retire = (id: string): void => {
      const slot = next.get(id);
      if (slot !== undefined) retired.push(slot);
    };
    for (const id of gone) {
      retire(id);
      next.delete(id);
    }
    for (const model of prepared) {
      retire(model.id);
      next.set(model.id, { model, holders: 0, isRetired: false });
    }
    if (!next.has(defaultId)) throw new Error(`the default ${defaultId} is not among the versions`);
    this.#slots = next;
    this.#defaultId = defaultId;
    for (const slot of retired) {
      slot.isRetired = true;
      this.#dropIfUnused(slot);
    }
  }

  /** Frees a version that was prepared and is not swapped in. */
  discard({ networkId }: ServedModel): void {
    this.#host.drop(networkId);
  }

  /**
   * Takes out a version that the host could not open again; `fallbackId` becomes the default in its place. Throws where the default is refused and
   * nothing can take its place.
   */
  withdraw(networkId: string, fallbackId: string | null): void {
    const [id, slot] = [...this.#slots].find(([, { model }]) => model.networkId === networkId) ?? [];
    if (id === undefined || slot === undefined) return;
    const next = new Map(this.#slots);
    next.delete(id);
    const defaultId = id === this.#defaultId ? fallbackId : this.#defaultId;
    if (defaultId === null || !next.has(defaultId))
      throw new Error(`the default version ${id} was refused, and no other can take its place`);
    slot.isRetired = true;
    this.#slots = next;
    this.#defaultId = defaultId;
  }

  #slotOf(id: string): Slot | undefined {
    return this.#slots.get(id) ?? this.#slots.get(findDated(this.#slots.keys(), id) ?? '');
  }

  #dropIfUnused({ model, holders, isRetired }: Slot): void {
    if (isRetired && holders === 0) this.#host.drop(model.networkId);
  }
}
