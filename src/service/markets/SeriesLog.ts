import type { LogRows } from './MarketStore.ts';

export type TakenRows = LogRows & { stored(): void; failed(): void };

/** Numbers of a row: of a tick its time, price, spread and number; of a bar its end, close, open, high and low. */
export const TICK_NUMBERS = 4;
export const BAR_NUMBERS = 5;

type Chunk = Pick<LogRows, 'first' | 'bytes'>;

function rowsOf({ bytes }: Chunk, width: number): number[][] {
  // A copy: the bytes of a store may lie anywhere in its memory.
  const numbers = new Float64Array(Uint8Array.from(bytes).buffer, 0, Math.floor(bytes.length / 8));
  return Array.from({ length: Math.floor(numbers.length / width) }, (_, i) => [...numbers.subarray(i * width, (i + 1) * width)]);
}

/** The chunks of the last series. Those before may be there still: a store drops them after it has written, and a process may have ended in between. */
function lastSeries(chunks: readonly Chunk[], width: number): readonly Chunk[] {
  const endOf = ({ first, bytes }: Chunk): number => first + Math.floor(bytes.length / (8 * width));
  return chunks.slice(
    Math.max(
      0,
      chunks.findLastIndex(({ first }, i) => i > 0 && first !== endOf(chunks[i - 1])),
    ),
  );
}

/** What was stored of the last series from a row on, and the number of its first row. */
export function rowsFrom(stored: readonly Chunk[], width: number, from: number): { readonly first: number; readonly rows: number[][] } {
  const chunks = lastSeries(stored, width);
  const rows = chunks.flatMap((chunk) => rowsOf(chunk, width).slice(Math.max(0, from - chunk.first)));
  return { first: Math.max(from, chunks[0]?.first ?? 0), rows };
}

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
  load(chunks: readonly Chunk[]): number[][] {
    const rows: number[][] = [];
    for (const chunk of lastSeries(chunks, this.#width)) {
      const added = rowsOf(chunk, this.#width);
      rows.push(...added);
      this.#chunks.push({ first: chunk.first, rows: added.length });
      this.#next = chunk.first + added.length;
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
    // A number is left out: who reads on sees that ticks are missing.
    this.#from = ++this.#next;
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
