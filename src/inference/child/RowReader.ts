import type { NetworkBatch } from '../../model/Network.ts';

/** Rows that there is room for at first: of most batches. */
const FIRST_ROWS = 8;

/**
 * Reads the rows of a frame (`rowsFrame`) into arrays of its own, which the next frame uses again: thousands of rows a second would otherwise leave
 * some ten MB of them to the garbage collector.
 */
export class RowReader {
  #sequence = new Float32Array();
  #context = new Float32Array();
  #baseline = new Float32Array();

  /** Valid until the next call. */
  read(body: Buffer): { networkId: string; batch: NetworkBatch } {
    const [nameLength, size, steps, columns] = [0, 2, 4, 6].map((at) => body.readUInt16LE(at)) as [number, number, number, number];
    let at = 8;
    const take = (bytes: number): Buffer => body.subarray(at, (at += bytes));
    const networkId = take(nameLength).toString();
    const heads = Uint8Array.from(take(size));
    this.#baseline = fill(this.#baseline, take(4 * size), 1);
    this.#sequence = fill(this.#sequence, take(4 * size * steps), steps);
    this.#context = fill(this.#context, take(4 * size * columns), columns);
    return {
      networkId,
      batch: {
        size,
        heads,
        baseline: this.#baseline.subarray(0, size),
        sequence: this.#sequence.subarray(0, size * steps),
        context: this.#context.subarray(0, size * columns),
      },
    };
  }
}

/** Copies the bytes of floats, which may begin anywhere, to the start of `target`, or of a larger array where they do not fit. */
function fill(target: Float32Array<ArrayBuffer>, bytes: Buffer, rowLength: number): Float32Array<ArrayBuffer> {
  const count = bytes.length / 4;
  const room = count <= target.length ? target : new Float32Array(Math.max(2 * count, FIRST_ROWS * rowLength));
  new Uint8Array(room.buffer).set(bytes);
  return room;
}
