import { ServiceError } from '../core/ServiceError.ts';
import type { Network, NetworkBatch } from '../model/Network.ts';
import type { NetworkOutput } from '../model/NetworkSpec.ts';
import type { InferenceRow } from './InferenceHost.ts';

/**
 * Runs rows together. A row whose logits are not finite gets a ServiceError `inference.failed` in place of its answer; where the network throws, so does
 * this, with that code.
 */
export function runBatch(networkId: string, network: Network, batch: NetworkBatch): (NetworkOutput | ServiceError)[] {
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

/** The caller may write over its arrays at once. */
export function copyRow({ sequence, context, baseline, head }: InferenceRow): InferenceRow {
  return { sequence: sequence.slice(), context: context.slice(), baseline, head };
}

/** Rows of one shape, one after the other. */
export function joinRows(rows: readonly InferenceRow[]): NetworkBatch {
  const [first] = rows;
  const heads = rows.map(({ head }) => head);
  const baseline = Float32Array.from(rows, (row) => row.baseline);
  // One row, as most batches are, needs no copy.
  if (first !== undefined && rows.length === 1) return { size: 1, sequence: first.sequence, context: first.context, baseline, heads };
  const [floats, columns] = [first?.sequence.length ?? 0, first?.context.length ?? 0];
  const sequence = new Float32Array(rows.length * floats);
  const context = new Float32Array(rows.length * columns);
  for (const [i, row] of rows.entries()) {
    sequence.set(row.sequence, i * floats);
    context.set(row.context, i * columns);
  }
  return { size: rows.length, sequence, context, baseline, heads };
}
