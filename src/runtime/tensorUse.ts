import type { Runtime } from './Runtime.ts';

/** What the backend holds. */
export type TensorUse = { readonly count: number; readonly bytes: number };

export function tensorUse({ tf }: Pick<Runtime, 'tf'>): TensorUse {
  const { numTensors, numBytes } = tf.memory();
  return { count: numTensors, bytes: numBytes };
}
