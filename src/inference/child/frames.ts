import { deserialize, serialize } from 'node:v8';
import { ServiceError } from '../../core/ServiceError.ts';
import type { ErrorCode } from '../../core/errorTable.ts';
import type { NetworkOutput } from '../../model/NetworkSpec.ts';
import type { InferenceRow } from '../InferenceHost.ts';

/**
 * Messages between the service and the inference process: frames of a body length (u32, little endian), a kind (u8), the id of the request that is
 * answered or asked (u32) and a body. Rows and answers are plain numbers in a fixed order; rare messages are serialized by V8, which both ends share.
 */
export const KIND = {
  open: 1,
  drop: 2,
  run: 3,
  hello: 4,
  opened: 5,
  answers: 6,
  failed: 7,
  ping: 8,
  pong: 9,
} as const;
export type Kind = (typeof KIND)[keyof typeof KIND];

export const HEAD_BYTES = 9;
const ID_AT = 5;
/** Of one answer: head, whether it is finite, three logits. */
const ANSWER_BYTES = 2 + 3 * 8;

/** Its body is not written yet; its id is 0. */
export function frame(kind: Kind, bodyBytes: number): Buffer {
  const bytes = Buffer.allocUnsafe(HEAD_BYTES + bodyBytes);
  bytes.writeUInt32LE(bodyBytes, 0);
  bytes[4] = kind;
  return withId(bytes, 0);
}

/** The same frame as the request `id` or its reply. */
export function withId(bytes: Buffer, id: number): Buffer {
  bytes.writeUInt32LE(id, ID_AT);
  return bytes;
}

export const idOf = (head: Buffer): number => head.readUInt32LE(ID_AT);

export function valueFrame(kind: Kind, value: unknown): Buffer {
  const body = serialize(value);
  const bytes = frame(kind, body.length);
  body.copy(bytes, HEAD_BYTES);
  return bytes;
}

/** Copied first: what is deserialized may be views of the bytes, which may be used again for other frames. */
export const readValue = (body: Buffer): unknown => deserialize(Buffer.from(body));

/**
 * Lengths of name, rows, a sequence and a context (u16 each), the name in UTF-8; then of all rows, one after the other: heads (u8), baselines, sequences
 * and contexts (f32). RowReader reads it.
 */
export function rowsFrame(networkId: string, rows: readonly InferenceRow[]): Buffer {
  const name = Buffer.from(networkId);
  const [steps, columns] = [rows[0]?.sequence.length ?? 0, rows[0]?.context.length ?? 0];
  const bytes = frame(KIND.run, 8 + name.length + rows.length * (5 + 4 * (steps + columns)));
  let at = HEAD_BYTES;
  for (const count of [name.length, rows.length, steps, columns]) at = bytes.writeUInt16LE(count, at);
  at += name.copy(bytes, at);
  for (const { head } of rows) bytes[at++] = head;
  for (const { baseline } of rows) at = bytes.writeFloatLE(baseline, at);
  for (const { sequence } of rows) at += put(bytes, sequence, at);
  for (const { context } of rows) at += put(bytes, context, at);
  return bytes;
}

function put(bytes: Buffer, values: Float32Array, at: number): number {
  bytes.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), at);
  return values.byteLength;
}

/** Tensors and bytes on the backend, then the answers. */
export type Answers = {
  readonly tensors: { readonly count: number; readonly bytes: number };
  readonly outputs: (NetworkOutput | ServiceError)[];
};

export function answersFrame({ tensors, outputs }: Answers): Buffer {
  const bytes = frame(KIND.answers, 12 + outputs.length * ANSWER_BYTES);
  let at = bytes.writeUInt32LE(tensors.count, HEAD_BYTES);
  at = bytes.writeDoubleLE(tensors.bytes, at);
  for (const output of outputs) {
    const isAnswer = !(output instanceof ServiceError);
    at = bytes.writeUInt8(isAnswer ? output.head : 0, at);
    at = bytes.writeUInt8(isAnswer ? 1 : 0, at);
    for (const logit of isAnswer ? [output.baselineLogit, output.residualLogit, output.directionLogit] : [0, 0, 0])
      at = bytes.writeDoubleLE(logit, at);
  }
  return bytes;
}

/** `fault` makes the error of a row that has no finite answer. */
export function readAnswers(body: Buffer, fault: () => ServiceError): Answers {
  const count = (body.length - 12) / ANSWER_BYTES;
  const outputs = Array.from({ length: count }, (_, i) => {
    const at = 12 + i * ANSWER_BYTES;
    if (body[at + 1] !== 1) return fault();
    const [baselineLogit, residualLogit, directionLogit] = [2, 10, 18].map((offset) => body.readDoubleLE(at + offset)) as [
      number,
      number,
      number,
    ];
    return { head: body[at] ?? 0, baselineLogit, residualLogit, directionLogit };
  });
  return { tensors: { count: body.readUInt32LE(0), bytes: body.readDoubleLE(4) }, outputs };
}

export type Fault = { readonly code: ErrorCode; readonly message: string };

export function faultOf(error: unknown): Fault {
  if (error instanceof ServiceError) return { code: error.code, message: error.message };
  return { code: 'inference.failed', message: error instanceof Error ? error.message : String(error) };
}
