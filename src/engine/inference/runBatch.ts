import { ServiceError } from '../../core/ServiceError.ts';
import type { Network } from '../model/Network.ts';
import type { NetworkBatch, NetworkOutput } from '../model/NetworkWeights.ts';
import type { InferenceRow } from './InferenceHost.ts';

/**
 * Runs rows together. A row whose logits are not finite gets a ServiceError `inference.failed` in place of its answer; where the network throws, so does
 * this, with that code.
 */
export function runBatch(networkId: string, network: Pick<Network, 'run'>, batch: NetworkBatch): (NetworkOutput | ServiceError)[] {
  let outputs: readonly NetworkOutput[];
  try {
    outputs = network.run(batch);
  } catch (cause) {
    throw new ServiceError('inference.failed', `Model ${networkId} could not be run.`, { cause });
  }
  return outputs.map((output) =>
    Number.isFinite(output.baselineLogit + output.residualLogit + output.directionLogit)
      ? output
      : new ServiceError('inference.failed', `Model ${networkId} returned a logit that is not finite.`),
  );
}

/** Rows of one shape, one after the other. Neighbours with one and the same sequence, as the thresholds of a window, share it. */
export function joinRows(rows: readonly InferenceRow[]): NetworkBatch {
  const [first] = rows;
  const size = rows.length;
  const heads = rows.map(({ head }) => head);
  // One row, as most batches are, needs no copy.
  if (first !== undefined && size === 1)
    return { size, sequence: first.sequence, context: first.context, baseline: Float32Array.of(first.baseline), heads };
  const [floats, columns] = [first?.sequence.length ?? 0, first?.context.length ?? 0];
  const context = new Float32Array(size * columns);
  const baseline = new Float32Array(size);
  const sequenceOf = new Int32Array(size);
  const sequences: Float32Array[] = [];
  for (let i = 0; i < size; i++) {
    const row = rows[i];
    if (row.sequence !== sequences.at(-1)) sequences.push(row.sequence);
    sequenceOf[i] = sequences.length - 1;
    baseline[i] = row.baseline;
    context.set(row.context, i * columns);
  }
  const sequence = sequences.length === 1 ? sequences[0] : new Float32Array(sequences.length * floats);
  if (sequences.length > 1) sequences.forEach((values, i) => sequence.set(values, i * floats));
  return { size, sequence, context, baseline, heads, ...(sequences.length < size ? { sequenceOf } : {}) };
}
