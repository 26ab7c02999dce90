import { deserialize } from 'node:v8';
import { HEAD_BYTES } from './frames.ts';

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
