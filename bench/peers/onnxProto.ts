/** Encodes the messages of onnx.proto3 (ONNX project, IR version 8) that these models need. A few node types and tensors do not justify a library. */

const FLOAT = 1;
const INT64 = 7;
const OPSET = 17;

type Dims = readonly (number | string)[];
export type OnnxGraph = {
  readonly name: string;
  readonly nodes: readonly Uint8Array[];
  readonly tensors: readonly Uint8Array[];
  readonly inputs: Readonly<Record<string, Dims>>;
  readonly outputs: Readonly<Record<string, Dims>>;
};

/** Bytes of a ModelProto. Inputs and outputs are float32. */
export function onnxModel({ name, nodes, tensors, inputs, outputs }: OnnxGraph): Uint8Array {
  const graph = message(
    ...nodes.map((node) => field(1, node)),
    text(2, name),
    ...tensors.map((tensor) => field(5, tensor)),
    ...Object.entries(inputs).map(([input, dims]) => field(11, valueInfo(input, dims))),
    ...Object.entries(outputs).map(([output, dims]) => field(12, valueInfo(output, dims))),
  );
  return message(varint(1, 8), field(7, graph), field(8, message(text(1, ''), varint(2, OPSET))));
}

export function onnxNode(
  type: string,
  inputs: readonly string[],
  outputs: readonly string[],
  attributes: readonly Uint8Array[] = [],
): Uint8Array {
  return message(
    ...inputs.map((name) => text(1, name)),
    ...outputs.map((name) => text(2, name)),
    text(4, type),
    ...attributes.map((attribute) => field(5, attribute)),
  );
}

export const intAttribute = (name: string, value: number): Uint8Array => message(text(1, name), varint(3, value), varint(20, 2));
export const intsAttribute = (name: string, values: readonly number[]): Uint8Array =>
  message(text(1, name), ...values.map((value) => varint(8, value)), varint(20, 7));

export function floatTensor(name: string, dims: readonly number[], values: Float32Array): Uint8Array {
  return tensor(name, dims, FLOAT, values);
}

export function int64Tensor(name: string, values: readonly number[]): Uint8Array {
  return tensor(name, [values.length], INT64, BigInt64Array.from(values, BigInt));
}

function tensor(name: string, dims: readonly number[], type: number, values: Float32Array | BigInt64Array): Uint8Array {
  const raw = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  return message(...dims.map((size) => varint(1, size)), varint(2, type), text(8, name), field(9, raw));
}

function valueInfo(name: string, dims: Dims): Uint8Array {
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
