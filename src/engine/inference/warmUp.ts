import { compareDurations } from '../../core/compareDurations.ts';
import type { Network, ReadoutChoice, ReadoutName } from '../model/Network.ts';
import type { LstmTuning } from '../runtime/Runtime.ts';
import type { Runtime } from '../runtime/Runtime.ts';
import { isOnTensorflow, trunkProgram } from '../runtime/lstm/lstmTrunk.ts';

/** Of the whole network; without `fused` where the backend has no such kernel. */
type ReadoutTimes = Readonly<Partial<Record<ReadoutName, number>>>;

/** What was measured for one batch size. */
export type WarmedBatch = {
  readonly batch: number;
  /** Where our kernels run on a card. */
  readonly lstm: Pick<LstmTuning, 'chosen' | 'timesMs' | 'refused'> | undefined;
  /** `ms` is what the chosen one takes. */
  readonly readout: { readonly chosen: ReadoutName; readonly ms: number; readonly timesMs: ReadoutTimes };
};

/** Of a service. */
const BATCHES: readonly number[] = [1, 8, 32, 64];
const ROUNDS = 6;
/** Larger batches than one that takes this long are not measured: a slow backend must not delay the start. */
const LONGEST_MS = 15;

/**
 * Runs a network at several batch sizes, ascending, which warms it up, and finds for each whether the card is faster (kept by the runtime)
 * and the fastest readout (kept in `choice`).
 */
export function warmUp(network: Network, tune: Runtime['tune'], choice: ReadoutChoice, batches = BATCHES): WarmedBatch[] {
  const { steps, sequenceColumns, units } = network.spec;
  const warmed: WarmedBatch[] = [];
  for (const batch of batches) {
    const lstm = tune?.({ batch, steps, columns: sequenceColumns, units });
    const timesMs = timeReadouts(network, batch);
    const chosen = (Object.keys(timesMs) as ReadoutName[]).reduce((best, name) => (timesMs[name]! < timesMs[best]! ? name : best));
    const ms = timesMs[chosen]!;
    choice.learn(batch, chosen);
    warmed.push({ batch, lstm, readout: { chosen, ms, timesMs } });
    if (ms > LONGEST_MS) break;
  }
  return warmed;
}

/**
 * The whole network with each readout. Only TensorFlow has two that may each be the faster one: elsewhere, a choice by time would give two workers, or a
 * service after a restart, other probabilities for the same ticks, because readouts differ in the last bits.
 */
function timeReadouts(network: Network, size: number): ReadoutTimes {
  const { steps, sequenceColumns, contextColumns } = network.spec;
  const batch = {
    size,
    sequence: new Float32Array(size * steps * sequenceColumns),
    context: new Float32Array(size * contextColumns),
    baseline: new Float32Array(size),
    heads: new Uint8Array(size),
  };
  const names =
    trunkProgram() === undefined ? (['tensors'] as const) : isOnTensorflow() ? (['fused', 'tensors'] as const) : (['fused'] as const);
  return compareDurations(Object.fromEntries(names.map((name) => [name, () => network.run(batch, name)])), ROUNDS);
}

/** A larger batch is only worth its longer latency when its throughput is this much above the best smaller one. */
const WORTH = 1.05;

/**
 * The largest batch that is worth forming, from times measured at ascending sizes: the smallest size beyond which no other measured one runs 5 % more
 * items a second. Without any measurement, 1.
 */
export function chooseMaxBatch(warmed: readonly WarmedBatch[]): number {
  let best = { size: 1, perMs: 0 };
  for (const { batch, readout } of warmed) {
    const perMs = batch / readout.ms;
    if (perMs > WORTH * best.perMs) best = { size: batch, perMs };
  }
  return best.size;
}
