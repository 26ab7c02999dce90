import { DefaultSerializer, deserialize } from 'node:v8';
import { ServiceError } from '../../../core/ServiceError.ts';
import type { ErrorCode } from '../../../core/errorTable.ts';
import type { NetworkBatch, NetworkOutput } from '../../model/NetworkWeights.ts';
import type { ModelFolder } from '../../model/modelFiles.ts';
import type { Runtime } from '../../runtime/Runtime.ts';
import type { TensorUse } from '../../runtime/tensorUse.ts';
import type { WarmedBatch } from '../warmUp.ts';

/** What the inference process needs of a version. */
type NetworkFiles = Pick<ModelFolder, 'manifest' | 'weights' | 'golden'>;

export type Hello = Pick<Runtime, 'backend' | 'description' | 'refused'>;
export type Opened = { readonly warmed: readonly WarmedBatch[]; readonly tensors: TensorUse };
export type Answers = { readonly tensors: TensorUse; readonly outputs: readonly (NetworkOutput | Fault)[] };
export type Fault = { readonly code: ErrorCode; readonly message: string };

/** What is answered under its id. */
export type Question =
  | { readonly kind: 'open'; readonly networkId: string; readonly version: NetworkFiles }
  /** `traceparent`: the position of the batch in a trace. */
  | { readonly kind: 'run'; readonly networkId: string; readonly batch: NetworkBatch; readonly traceparent?: string };
/** From the service to the inference process. */
export type Request =
  | (Question & { readonly id: number })
  | { readonly kind: 'drop'; readonly networkId: string }
  | { readonly kind: 'ping' };
/** From the inference process to the service. */
export type Reply =
  | { readonly kind: 'done'; readonly id: number; readonly value: Hello | Opened | Answers }
  | { readonly kind: 'failed'; readonly id: number; readonly fault: Fault }
  | { readonly kind: 'pong' }
  /** It opens a version: it says nothing before that is done. */
  | { readonly kind: 'busy' };

/** The process says by itself what it opened: that reply has no request. */
export const HELLO_ID = 0;

const HEAD_BYTES = 4;
const HEAD = Buffer.alloc(HEAD_BYTES);

/** A message as bytes: a length (u32, little endian), then that many as V8 serializes the message. Both ends are one release of Node.js. */
export function frameOf(message: Request | Reply): Buffer {
  const serializer = new DefaultSerializer();
  serializer.writeRawBytes(HEAD);
  serializer.writeHeader();
  serializer.writeValue(message);
  const bytes = serializer.releaseBuffer();
  bytes.writeUInt32LE(bytes.length - HEAD_BYTES);
  return bytes;
}

export function faultOf(error: unknown): Fault {
  if (error instanceof ServiceError) return { code: error.code, message: error.message };
  return { code: 'inference.failed', message: error instanceof Error ? error.message : String(error) };
}

/** A version with its weights is below this; a longer frame is no frame of ours. */
const MAX_FRAME_BYTES = 256 * 1024 * 1024;

export type FrameListener<Message> = {
  /** Where the bytes that arrive are used again, arrays of `message` are valid only during the call. */
  readonly onMessage: (message: Message) => void;
  /** Once, where what arrives is no frame; nothing is read after it. */
  readonly onFault: (error: Error) => void;
};

/** Puts frames together from the pieces in which they arrive. */
export class FrameReader<Message extends object> {
  readonly #listener: FrameListener<Message>;
  #pieces: Buffer[] = [];
  #size = 0;
  /** Bytes needed before the next frame can be parsed. */
  #wanted = HEAD_BYTES;

  constructor(listener: FrameListener<Message>) {
    this.#listener = listener;
  }

  /** The bytes of `piece` may be used again afterwards. */
  push(piece: Buffer): void {
    // After an invalid frame no other can be read: keeping bytes would only fill the memory.
    if (this.#wanted === Infinity) return;
    this.#size += piece.length;
    if (this.#size < this.#wanted) {
      this.#pieces.push(Buffer.from(piece));
      return;
    }
    let bytes = this.#pieces.length === 0 ? piece : Buffer.concat([...this.#pieces, piece]);
    try {
      for (;;) {
        this.#wanted = bytes.length < HEAD_BYTES ? HEAD_BYTES : HEAD_BYTES + bytes.readUInt32LE(0);
        if (this.#wanted > MAX_FRAME_BYTES) throw new Error(`a frame of ${this.#wanted} bytes`);
        if (bytes.length < this.#wanted) break;
        const message: unknown = deserialize(bytes.subarray(HEAD_BYTES, this.#wanted));
        if (typeof message !== 'object' || message === null) throw new Error('a frame without a message');
        this.#listener.onMessage(message as Message);
        bytes = bytes.subarray(this.#wanted);
      }
    } catch (error) {
      this.#wanted = Infinity;
      bytes = Buffer.alloc(0);
      this.#listener.onFault(error as Error);
    }
    this.#pieces = bytes.length === 0 ? [] : [Buffer.from(bytes)];
    this.#size = bytes.length;
  }
}
