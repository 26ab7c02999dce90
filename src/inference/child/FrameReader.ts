import { HEAD_BYTES, idOf, type Kind } from './frames.ts';

/** A version with its weights is below this; a longer frame is no frame of ours. */
const MAX_FRAME_BYTES = 256 * 1024 * 1024;

export type FrameListener = {
  /** For each frame that is whole. Where the bytes that arrive are used again, `body` is valid only during the call. */
  readonly onFrame: (kind: Kind, body: Buffer, id: number) => void;
  /** Once, where what arrives is no frame; nothing is read after it. */
  readonly onFault: (error: Error) => void;
};

/** Puts frames together from the pieces in which they arrive. */
export class FrameReader {
  readonly #listener: FrameListener;
  #pieces: Buffer[] = [];
  #size = 0;
  /** Bytes that must be there before it is worth looking. */
  #wanted = HEAD_BYTES;

  constructor(listener: FrameListener) {
    this.#listener = listener;
  }

  /** The bytes of `piece` may be used again afterwards. */
  push(piece: Buffer): void {
    if (this.#size + piece.length < this.#wanted) {
      this.#keep(piece);
      return;
    }
    let bytes = this.#size === 0 ? piece : Buffer.concat([...this.#pieces, piece]);
    this.#pieces = [];
    this.#size = 0;
    for (;;) {
      this.#wanted = bytes.length < HEAD_BYTES ? HEAD_BYTES : HEAD_BYTES + bytes.readUInt32LE(0);
      if (this.#wanted > MAX_FRAME_BYTES) {
        this.#listener.onFault(new Error(`a frame of ${this.#wanted} bytes`));
        this.#wanted = Infinity;
        return;
      }
      if (bytes.length < this.#wanted) break;
      this.#listener.onFrame(bytes[4] as Kind, bytes.subarray(HEAD_BYTES, this.#wanted), idOf(bytes));
      bytes = bytes.subarray(this.#wanted);
    }
    if (bytes.length > 0) this.#keep(bytes);
  }

  #keep(piece: Buffer): void {
    // After a fault nothing is ever whole: keeping would only fill the memory.
    if (this.#wanted === Infinity) return;
    this.#pieces.push(Buffer.from(piece));
    this.#size += piece.length;
  }
}
