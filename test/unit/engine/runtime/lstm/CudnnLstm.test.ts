import { expect } from 'chai';
import { CudnnLstm, cudnnParams, type CudnnLstmCall } from '../../../../../src/engine/runtime/lstm/CudnnLstm.ts';
import { LoopLstmProgram } from '../../../../../src/engine/runtime/lstm/LoopLstmProgram.ts';
import { wave } from '../../../../../src/engine/runtime/lstm/probeLstm.ts';
import type { TensorflowBinding } from '../../../../../src/engine/runtime/lstm/TensorflowOps.ts';

const SIZES = { batch: 1, steps: 4, columns: 3, units: 5 } as const;
const [F, H] = [SIZES.columns, SIZES.units];
const kernel = wave(F * 4 * H, 1.3);
const recurrentKernel = wave(H * 4 * H, 2.1);
const bias = wave(4 * H, 0.4);

/** cuDNN's LSTM as documented: gate = W x + R h + bW + bR, with the matrices one after another and one row per unit. */
function cudnnFormula(params: Float32Array, x: Float32Array): number[] {
  const sigmoid = (value: number): number => 1 / (1 + Math.exp(-value));
  const input = (gate: number, unit: number, column: number): number => params[gate * H * F + unit * F + column]!;
  const recurrent = (gate: number, unit: number, other: number): number => params[4 * H * F + gate * H * H + unit * H + other]!;
  const biases = (gate: number, unit: number): number => {
    const from = 4 * H * (F + H) + gate * H + unit;
    return params[from]! + params[from + 4 * H]!;
  };
  let h = new Array<number>(H).fill(0);
  let c = new Array<number>(H).fill(0);
  for (let t = 0; t < SIZES.steps; t++) {
    const gate = (which: number, unit: number): number => {
      let sum = biases(which, unit);
      for (let column = 0; column < F; column++) sum += input(which, unit, column) * x[t * F + column]!;
      for (let other = 0; other < H; other++) sum += recurrent(which, unit, other) * h[other]!;
      return sum;
    };
    const units = Array.from({ length: H }, (_, unit) => unit);
    const [i, f, n, o] = [0, 1, 2, 3].map((which) => units.map((unit) => gate(which, unit))) as [number[], number[], number[], number[]];
    c = units.map((unit) => sigmoid(f[unit]!) * c[unit]! + sigmoid(i[unit]!) * Math.tanh(n[unit]!));
    h = units.map((unit) => sigmoid(o[unit]!) * Math.tanh(c[unit]!));
  }
  return h;
}

/** Records its calls; every op returns one number per output. */
function fakeBinding() {
  const ops: { name: string; inputs: readonly number[] }[] = [];
  const created: number[] = [];
  const alive = new Set<number>();
  let last = 0;
  const next = (): number => {
    alive.add(++last);
    return last;
  };
  const binding = {
    createTensor: (_shape: unknown, _type: unknown, values: { length: number }) => {
      created.push(values.length);
      return next();
    },
    deleteTensor: (id: number) => void alive.delete(id),
    executeOp: (name: string, _attrs: unknown, inputs: readonly number[], outputs: number) => {
      ops.push({ name, inputs });
      return Array.from({ length: outputs }, () => ({ id: next(), shape: [], dtype: 1 }));
    },
  } as unknown as TensorflowBinding;
  return { binding, ops, created, alive };
}

describe('CudnnLstm', () => {
  it('orders the weights as cuDNN reads them', () => {
    const x = wave(SIZES.steps * F, 0.7);
    const params = cudnnParams(SIZES, kernel, recurrentKernel, bias);
    const weightIds = [{}, {}, {}] as const;
    const call = { ...SIZES, x, kernel, recurrentKernel, bias, returnSequences: false, weightIds, tapeId: 0 };
    const expected = new LoopLstmProgram().forward(call);
    const actual = cudnnFormula(params, x);
    expect(actual).to.have.length(expected.length);
    actual.forEach((value, unit) => expect(value).to.be.closeTo(expected[unit]!, 1e-6));
  });

  it('creates the weights once per model, and frees everything except weights and constants', () => {
    const { binding, ops, created, alive } = fakeBinding();
    const lstm = new CudnnLstm(binding);
    let reads = 0;
    const callOf = (weightIds: CudnnLstmCall['weightIds']): CudnnLstmCall => ({
      ...SIZES,
      x: 1000,
      returnSequences: true,
      weightIds,
      read: () => {
        reads++;
        return [kernel, recurrentKernel, bias];
      },
    });
    const first = [{}, {}, {}] as const;
    for (let i = 0; i < 3; i++) binding.deleteTensor(lstm.forward(callOf(first)).id);
    expect(reads).to.equal(1);
    expect(ops.filter(({ name }) => name === 'CudnnRNN')).to.have.length(3);
    expect(created).to.include(4 * H * (F + H + 2));
    const kept = alive.size;
    for (let i = 0; i < 40; i++) binding.deleteTensor(lstm.forward(callOf([{}, {}, {}])).id);
    expect(reads).to.equal(41);
    // At most 16 sets of weights stay, in addition to the constants of the first calls.
    expect(alive.size).to.equal(kept + 15);
  });
});
