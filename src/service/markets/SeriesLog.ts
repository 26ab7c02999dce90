import type { LogRows } from './MarketStore.ts';

export type TakenRows = LogRows & { stored(): void; failed(): void };

/** The last rows of numbers of one series of a feed, in chunks as they are stored. */
export class SeriesLog {
  readonly name: string;
  readonly #width: number;
  readonly #most: number;
  /** First row and rows of each stored chunk. */
  #chunks: { readonly first: number; readonly rows: number }[] = [];
  #rows: number[] = [];
  #next = 0;
  /** Rows before are of another series. */
  #from = 0;

  /** `width`: numbers of a row. At least the last `most` rows are kept. */
  constructor(name: string, width: number, most: number) {
    this.name = name;
    this.#width = width;
    this.#most = most;
  }

  get isChanged(): boolean {
    return this.#rows.length > 0;
  }

  /** What was stored. */
  load(chunks: readonly { readonly first: number; readonly bytes: Uint8Array }[]): number[][] {
    const rows: number[][] = [];
    for (const { first, bytes } of chunks) {
      // A copy: the bytes of a store may lie anywhere in its memory.
      const numbers = new Float64Array(Uint8Array.from(bytes).buffer, 0, Math.floor(bytes.length / 8));
      const count = Math.floor(numbers.length / this.#width);
      for (let i = 0; i < count; i++) rows.push([...numbers.subarray(i * this.#width, (i + 1) * this.#width)]);
      this.#chunks.push({ first, rows: count });
      this.#next = first + count;
    }
    this.#from = this.#chunks[0]?.first ?? 0;
    return rows;
  }

  add(row: readonly number[]): void {
    this.#rows.push(...row);
    // The store does not answer: what is beyond is dropped.
    if (this.#rows.length > this.#width * this.#most) this.#rows.splice(0, this.#width);
  }

  /** What follows is another series. */
  cut(): void {
    this.#rows = [];
    this.#chunks = [];
    this.#from = this.#next;
  }

  /** The rows that are not stored, one take at a time: `stored` or `failed` ends it. */
  take(): TakenRows {
    const taken = this.#rows;
    const first = this.#next;
    const rows = taken.length / this.#width;
    this.#rows = [];
    this.#next += rows;
    let [kept, keepFrom] = [rows, first];
    for (const chunk of this.#chunks.toReversed()) {
      if (kept >= this.#most) break;
      kept += chunk.rows;
      keepFrom = chunk.first;
    }
    keepFrom = Math.max(keepFrom, this.#from);
    return {
      ...{ name: this.name, first, bytes: new Uint8Array(Float64Array.from(taken).buffer), keepFrom },
      stored: () => {
        this.#chunks = [...this.#chunks, { first, rows }].filter((chunk) => chunk.first >= Math.max(keepFrom, this.#from));
      },
      failed: () => {
        if (this.#from > first) return;
        this.#rows = [...taken, ...this.#rows];
        this.#next = first;
      },
    };
  }
}
