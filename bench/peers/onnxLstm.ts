/** One LSTM layer as an ONNX model: x [B,T,F] to y [1,B,H], weights in Keras's layout (gates i, f, c, o). */
export type LstmWeights = {
  readonly columns: number;
  readonly units: number;
  /** [F,4H] */
  readonly kernel: Float32Array;
  /** [H,4H] */
  readonly recurrentKernel: Float32Array;
  /** [4H] */
  readonly bias: Float32Array;
};

/** ONNX's gates are i, o, f, c: where each is in Keras's order. */
const GATES = [0, 3, 1, 2] as const;
const FLOAT = 1;
const OPSET = 17;

/** Bytes of a ModelProto (onnx.proto3 of the ONNX project, IR version 8), encoded by hand: one node type and four tensors need no library. */
export function onnxLstm({ columns: F, units: H, kernel, recurrentKernel, bias }: LstmWeights): Uint8Array {
  const bothBiases = new Float32Array(8 * H);
  GATES.forEach((from, gate) => bothBiases.set(bias.subarray(from * H, (from + 1) * H), gate * H));
  const swap = node('Transpose', ['x'], ['xt'], [message(text(1, 'perm'), varint(8, 1), varint(8, 0), varint(8, 2), varint(20, 7))]);
  const hidden = message(text(1, 'hidden_size'), varint(3, H), varint(20, 2));
  const lstm = node('LSTM', ['xt', 'w', 'r', 'b'], ['', 'y'], [hidden]);
  const graph = message(
    field(1, swap),
    field(1, lstm),
    text(2, 'lstm'),
    field(5, tensor('w', [1, 4 * H, F], perGate(kernel, F, H))),
    field(5, tensor('r', [1, 4 * H, H], perGate(recurrentKernel, H, H))),
    field(5, tensor('b', [1, 8 * H], bothBiases)),
    field(11, valueInfo('x', ['B', 'T', F])),
    field(12, valueInfo('y', [1, 'B', H])),
  );
  return message(varint(1, 8), field(7, graph), field(8, message(text(1, ''), varint(2, OPSET))));
}

/** [rows, 4H] by gates i, f, c, o to [4H, rows] by gates i, o, f, c. */
function perGate(weights: Float32Array, rows: number, H: number): Float32Array {
  const out = new Float32Array(weights.length);
  let at = 0;
  for (const gate of GATES)
    for (let unit = 0; unit < H; unit++) for (let row = 0; row < rows; row++) out[at++] = weights[row * 4 * H + gate * H + unit]!;
  return out;
}

function node(type: string, inputs: readonly string[], outputs: readonly string[], attributes: readonly Uint8Array[]): Uint8Array {
  return message(
    ...inputs.map((name) => text(1, name)),
    ...outputs.map((name) => text(2, name)),
    text(4, type),
    ...attributes.map((attribute) => field(5, attribute)),
  );
}

function tensor(name: string, dims: readonly number[], values: Float32Array): Uint8Array {
  const raw = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  return message(...dims.map((size) => varint(1, size)), varint(2, FLOAT), text(8, name), field(9, raw));
}

function valueInfo(name: string, dims: readonly (number | string)[]): Uint8Array {
  const sizes = dims.map((size) => field(1, typeof size === 'number' ? varint(1, size) : text(2, size)));
  return message(text(1, name), field(2, field(1, message(varint(1, FLOAT), field(2, message(...sizes))))));
}

const message = (...parts: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts));
const text = (number: number, value: string): Uint8Array => field(number, Buffer.from(value));
const varint = (number: number, value: number): Uint8Array => message(bytesOf(number << 3), bytesOf(value));
const field = (number: number, content: Uint8Array): Uint8Array => message(bytesOf((number << 3) | 2), bytesOf(content.length), content);

function bytesOf(value: number): Uint8Array {
  const bytes = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) | 128);
  return Uint8Array.from([...bytes, value]);
}
