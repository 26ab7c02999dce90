/**
 * The way from states to logits. `plain`: on arrays, a row at a time (Readout); `pooled`: the same, but attention in one kernel with the LSTM
 * (pooledLSTM); `tensors`: TensorFlow.js ops over the whole batch (forward).
 */
export type ReadoutName = 'plain' | 'pooled' | 'tensors';

/** Which readout a batch takes: `plain` until another was measured to be quicker, from that batch size up to the next measured one. */
export class ReadoutChoice {
  #measured: readonly { readonly batch: number; readonly chosen: ReadoutName }[] = [];

  of(batch: number): ReadoutName {
    return this.#measured.findLast((measured) => measured.batch <= batch)?.chosen ?? 'plain';
  }

  learn(batch: number, chosen: ReadoutName): void {
    const others = this.#measured.filter((measured) => measured.batch !== batch);
    this.#measured = [...others, { batch, chosen }].sort((a, b) => a.batch - b.batch);
  }
}
