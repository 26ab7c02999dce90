import { ServiceError } from '../../core/ServiceError.ts';
import type { Parcel } from '../InferenceHost.ts';
import { frame, faultOf, HEAD_BYTES, KIND, type Answers, type Fault } from './frames.ts';

/** Of the tensors and their bytes, before the answers. */
const TENSORS_BYTES = 12;
/** Of one answer: whether it is one, and its length. */
const ANSWER_HEAD_BYTES = 5;

/** Lengths of the name and number of parcels (u16 each), the name in UTF-8, the length of each parcel (u32), then the parcels. */
export function parcelsFrame(networkId: string, parcels: readonly Parcel[]): Buffer {
  const name = Buffer.from(networkId);
  const size = parcels.reduce((sum, { byteLength }) => sum + byteLength, 0);
  const bytes = frame(KIND.parcels, 4 + name.length + 4 * parcels.length + size);
  let at = bytes.writeUInt16LE(name.length, HEAD_BYTES);
  at = bytes.writeUInt16LE(parcels.length, at);
  at += name.copy(bytes, at);
  for (const { byteLength } of parcels) at = bytes.writeUInt32LE(byteLength, at);
  for (const parcel of parcels) {
    parcel.write(bytes, at);
    at += parcel.byteLength;
  }
  return bytes;
}

/** The parcels are views of the frame. */
export function readParcels(body: Buffer): { readonly networkId: string; readonly parcels: readonly Buffer[] } {
  const nameLength = body.readUInt16LE(0);
  const count = body.readUInt16LE(2);
  const lengthsAt = 4 + nameLength;
  let at = lengthsAt + 4 * count;
  const parcels: Buffer[] = [];
  for (let i = 0; i < count; i++) {
    const length = body.readUInt32LE(lengthsAt + 4 * i);
    parcels.push(body.subarray(at, (at += length)));
  }
  return { networkId: body.toString('utf8', 4, lengthsAt), parcels };
}

export type ParcelAnswers = { readonly tensors: Answers['tensors']; readonly answers: readonly (Buffer | ServiceError)[] };

export function parcelAnswersFrame({ tensors, answers }: ParcelAnswers): Buffer {
  const contents = answers.map((answer) => (answer instanceof ServiceError ? Buffer.from(JSON.stringify(faultOf(answer))) : answer));
  const size = contents.reduce((sum, { length }) => sum + ANSWER_HEAD_BYTES + length, 0);
  const bytes = frame(KIND.parcelAnswers, TENSORS_BYTES + size);
  let at = bytes.writeUInt32LE(tensors.count, HEAD_BYTES);
  at = bytes.writeDoubleLE(tensors.bytes, at);
  for (const [i, content] of contents.entries()) {
    at = bytes.writeUInt8(answers[i] instanceof ServiceError ? 0 : 1, at);
    at = bytes.writeUInt32LE(content.length, at);
    at += content.copy(bytes, at);
  }
  return bytes;
}

/** The answers are views of the frame. */
export function readParcelAnswers(body: Buffer): ParcelAnswers {
  const answers: (Buffer | ServiceError)[] = [];
  for (let at = TENSORS_BYTES; at < body.length;) {
    const isAnswer = body[at] === 1;
    const from = at + ANSWER_HEAD_BYTES;
    const content = body.subarray(from, (at = from + body.readUInt32LE(at + 1)));
    answers.push(isAnswer ? content : faultFrom(content));
  }
  return { tensors: { count: body.readUInt32LE(0), bytes: body.readDoubleLE(4) }, answers };
}

function faultFrom(content: Buffer): ServiceError {
  const { code, message } = JSON.parse(content.toString()) as Fault;
  return new ServiceError(code, message);
}
