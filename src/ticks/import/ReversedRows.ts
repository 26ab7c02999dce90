import { BLOCK_TICKS } from '../TickSeries.ts';
import { fileFault } from './ImportReport.ts';
import type { RowOutput } from './TickStage.ts';

/** Rows that are held to be turned round: 32 bytes each, 512 MiB in all; those of bars 56 bytes. */
const MAX_REVERSED_ROWS = 2 ** 24;
/** What is said of a row next to its line: 0 or 1 for `isIdle`, 2 where that is not known, and 3 more for `isSameRow`. */
const MARKS = 8;

/** Holds the rows of a file that runs from newest to oldest and gives them, at its end, from the last one on. Throws ServiceError file.malformed above `maxRows`. */
export class ReversedRows implements RowOutput {
  readonly #to: RowOutput;
  readonly #name: string;
  readonly #maxRows: number;
  /** Time, bid, ask, line with marks, and of bars open, high and low, one row after the other. */
  readonly #blocks: Float64Array[] = [];
  #rows = 0;
  #width = 4;

  constructor(to: RowOutput, name: string, maxRows = MAX_REVERSED_ROWS) {
    this.#to = to;
    this.#name = name;
    this.#maxRows = maxRows;
  }

  add(timeUs: number, bid: number, ask: number, line: number, isSameRow: boolean, range: readonly number[] = [], isIdle?: boolean): void {
    if (this.#rows === this.#maxRows) throw this.#tooMany();
    this.#width = 4 + range.length;
    const at = (this.#rows++ % BLOCK_TICKS) * this.#width;
    if (at === 0) this.#blocks.push(new Float64Array(BLOCK_TICKS * this.#width));
    const marks = 3 * Number(isSameRow) + (isIdle === undefined ? 2 : Number(isIdle));
    this.#blocks.at(-1)!.set([timeUs, bid, ask, MARKS * line + marks, ...range], at);
  }

  note(code: string, line: number): void {
    this.#to.note(code, line);
  }

  refuse(line: number, found: string, remedy: string): void {
    this.#to.refuse(line, found, remedy);
  }

  doubt(line: number, found: string, remedy: string): void {
    this.#to.doubt(line, found, remedy);
  }

  end(): void {
    const width = this.#width;
    for (let block = this.#blocks.pop(); block !== undefined; block = this.#blocks.pop())
      for (let at = (this.#rows - 1) % BLOCK_TICKS; at >= 0; at--, this.#rows--) {
        const [timeUs, bid, ask, marked, ...range] = block.subarray(at * width, (at + 1) * width);
        const marks = marked % MARKS;
        const isIdle = marks % 3 === 2 ? undefined : marks % 3 === 1;
        this.#to.add(timeUs, bid, ask, Math.floor(marked / MARKS), marks > 2, range.length === 0 ? undefined : range, isIdle);
      }
  }

  #tooMany(): Error {
    return fileFault(
      this.#name,
      '',
      `its rows run from newest to oldest, and there are more than the ${this.#maxRows.toLocaleString('en-US')} that are reversed in memory`,
      'Reverse it first and keep its header on top: (head -n 1 FILE; tail -n +2 FILE | tac) > turned.csv. Or cut it into parts and import those, the oldest first.',
    );
  }
}
