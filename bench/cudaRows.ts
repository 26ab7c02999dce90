import type { LstmCall } from '../src/engine/runtime/lstm/LstmProgram.ts';
import type { TrunkCall } from '../src/engine/runtime/lstm/SimdLstmProgram.ts';

export type Rows = { readonly call: LstmCall; readonly trunk: TrunkCall };

/** In (-1, 1): a generator of its own (mulberry32), so that each machine compares the same numbers. */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 31 - 1;
  };
}

export function randomRows(
  sizes: { units: number; columns: number; steps: number; batch: number; context: number; outputs: number },
  seed: number,
): Rows {
  const { units, columns, steps, batch, context, outputs } = sizes;
  const next = random(seed);
  const floats = (count: number, scale: number): Float32Array => Float32Array.from({ length: count }, () => scale * next());
  return {
    call: {
      ...{ batch, steps, columns, units, returnSequences: true, weightIds: [{}, {}, {}], tapeId: 0 },
      x: floats(batch * steps * columns, 2),
      kernel: floats(columns * 4 * units, 0.6),
      recurrentKernel: floats(units * 4 * units, 1.4 / Math.sqrt(units)),
      bias: floats(4 * units, 0.5),
    },
    trunk: {
      context: floats(batch * context, 1.5),
      attention: floats(units, 1),
      kernel: floats((2 * units + context) * outputs, 0.3),
      bias: floats(outputs, 0.2),
    },
  };
}

/** The largest difference, relative to values above 1. NaN if one side has a NaN that the other has not. */
export function difference(one: Float32Array, other: Float32Array): number {
  let most = 0;
  for (const [i, value] of one.entries()) {
    const expected = other[i];
    if (Number.isNaN(value) && Number.isNaN(expected)) continue;
    const error = Math.abs(value - expected) / Math.max(1, Math.abs(expected));
    if (!(error <= most)) most = error;
  }
  return most;
}
