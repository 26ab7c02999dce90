import { floatTensor, intAttribute, intsAttribute, onnxNode } from './onnxProto.ts';

/** One LSTM layer in Keras's layout (gates i, f, c, o). */
type LstmWeights = {
  readonly columns: number;
  readonly units: number;
  /** [F,4H] */
  readonly kernel: Float32Array;
  /** [H,4H] */
  readonly recurrentKernel: Float32Array;
  /** [4H] */
  readonly bias: Float32Array;
};

/** The ONNX gates are i, o, f, c: the index of each in the order of Keras. */
const GATES = [0, 3, 1, 2] as const;

/** From x [B,T,F] to all states [T,1,B,H] and the last states [1,B,H]; an output with the name '' is omitted. */
export function lstmNodes(units: number, outputs: readonly [all: string, last: string]): Uint8Array[] {
  return [
    onnxNode('Transpose', ['x'], ['xt'], [intsAttribute('perm', [1, 0, 2])]),
    onnxNode('LSTM', ['xt', 'w', 'r', 'b'], outputs, [intAttribute('hidden_size', units)]),
  ];
}

export function lstmTensors({ columns: F, units: H, kernel, recurrentKernel, bias }: LstmWeights): Uint8Array[] {
  const bothBiases = new Float32Array(8 * H);
  GATES.forEach((from, gate) => bothBiases.set(bias.subarray(from * H, (from + 1) * H), gate * H));
  return [
    floatTensor('w', [1, 4 * H, F], perGate(kernel, F, H)),
    floatTensor('r', [1, 4 * H, H], perGate(recurrentKernel, H, H)),
    floatTensor('b', [1, 8 * H], bothBiases),
  ];
}

/** Converts [rows, 4H] with gates i, f, c, o to [4H, rows] with gates i, o, f, c. */
function perGate(weights: Float32Array, rows: number, H: number): Float32Array {
  const out = new Float32Array(weights.length);
  let at = 0;
  for (const gate of GATES)
    for (let unit = 0; unit < H; unit++) for (let row = 0; row < rows; row++) out[at++] = weights[row * 4 * H + gate * H + unit];
  return out;
}
