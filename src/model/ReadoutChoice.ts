import { hasLstmTrunk } from '../runtime/lstmTrunk.ts';

/** How a network runs: `fused`, up to the trunk in one kernel (lstmTrunk); or `tensors`, TensorFlow.js ops over the whole batch (forward). */
export type ReadoutName = 'fused' | 'tensors';

/** Chooses the readout of a batch: the fastest one measured at the largest batch size that is not above its size. */
export class ReadoutChoice {
  #measured: readonly { readonly batch: number; readonly chosen: ReadoutName }[] = [];

  of(batch: number): ReadoutName {
    return this.#measured.findLast((measured) => measured.batch <= batch)?.chosen ?? (hasLstmTrunk() ? 'fused' : 'tensors');
  }

  learn(batch: number, chosen: ReadoutName): void {
    const others = this.#measured.filter((measured) => measured.batch !== batch);
    this.#measured = [...others, { batch, chosen }].sort((a, b) => a.batch - b.batch);
  }
}
