import { LoopLstmProgram } from './LoopLstmProgram.ts';
import type { LstmCall, LstmProgram } from './LstmProgram.ts';

/** Reproducible numbers in (-1, 1) without a random source. */
export function wave(count: number, pitch: number): Float32Array {
  return Float32Array.from({ length: count }, (_, index) => Math.sin(pitch * (index + 1) + index * index));
}

/** A call with unusual sizes: padded units, an odd number of rows and of blocks. */
export function probeCall(): LstmCall {
  const [batch, steps, columns, units] = [3, 5, 3, 10];
  return {
    batch,
    steps,
    columns,
    units,
    x: wave(batch * steps * columns, 0.7),
    kernel: wave(columns * 4 * units, 1.3),
    recurrentKernel: wave(units * 4 * units, 2.1).map((value) => value / 2),
    bias: wave(4 * units, 0.4),
    returnSequences: true,
    weightIds: [{}, {}, {}],
    tapeId: -1,
  };
}

export function compareLstm(what: string, actual: Float32Array, expected: Float32Array, tolerance: number): void {
  for (let index = 0; index < expected.length; index++) {
    const error = Math.abs(actual[index] - expected[index]) / Math.max(1, Math.abs(expected[index]));
    if (!(error <= tolerance)) {
      throw new Error(`FusedLSTM computes a wrong ${what}: ${actual[index]} at ${index}, expected ${expected[index]}`);
    }
  }
}

/** Compares forward and backward pass of a small layer with the plain loop. Throws an Error that names the first difference. */
export function probeLstmProgram(program: LstmProgram): void {
  const call = probeCall();
  const oracle = new LoopLstmProgram();
  compareLstm('output', program.forward(call), oracle.forward(call), 1e-5);
  const dy = wave(call.batch * call.steps * call.units, 0.9);
  const expected = oracle.backward(call, dy);
  const actual = program.backward(call, dy);
  for (const name of ['x', 'kernel', 'recurrentKernel', 'bias'] as const)
    compareLstm(`gradient of ${name}`, actual[name], expected[name], 1e-4);
}
