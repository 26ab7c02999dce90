import type { Runtime } from './Runtime.ts';

/** Number and size of the tensors on the backend. */
export type TensorUse = { readonly count: number; readonly bytes: number };

export function tensorUse({ tf }: Pick<Runtime, 'tf'>): TensorUse {
  const { numTensors, numBytes } = tf.memory();
  return { count: numTensors, bytes: numBytes };
}
