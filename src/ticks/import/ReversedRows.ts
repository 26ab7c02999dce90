import { BLOCK_TICKS } from '../TickSeries.ts';
import { fileFault } from './ImportReport.ts';
import type { RowOutput } from './TickStage.ts';

/** Rows that are held to be turned round: 29 bytes each, 464 MiB in all; those of bars 53 bytes. */
const MAX_REVERSED_ROWS = 2 ** 24;

type Block = {
  readonly timesUs: Float64Array;
  readonly bids: Float64Array;
  readonly asks: Float64Array;
  readonly lines: Int32Array;
  /** 2: not known. */
  readonly areIdle: Uint8Array;
  /** Open, high and low of bars, one after the other. */
  readonly ranges: Float64Array | undefined;
};

/** Holds the rows of a file that runs from newest to oldest and gives them, at its end, from the last one on. Throws ServiceError file.malformed above `maxRows`. */
export class ReversedRows implements RowOutput {
  readonly #to: RowOutput;
  readonly #name: string;
  readonly #maxRows: number;
  readonly #blocks: Block[] = [];
  #rows = 0;

  constructor(to: RowOutput, name: string, maxRows = MAX_REVERSED_ROWS) {
    this.#to = to;
    this.#name = name;
    this.#maxRows = maxRows;
  }

  add(timeUs: number, bid: number, ask: number, line: number, isSameRow: boolean, range?: readonly number[], isIdle?: boolean): void {
    if (this.#rows === this.#maxRows) throw this.#tooMany();
    const at = this.#rows++ % BLOCK_TICKS;
    if (at === 0) this.#blocks.push(emptyBlock(range !== undefined));
    const block = this.#blocks.at(-1)!;
    block.timesUs[at] = timeUs;
    block.bids[at] = bid;
    block.asks[at] = ask;
    if (range !== undefined) block.ranges?.set(range, 3 * at);
    block.areIdle[at] = isIdle === undefined ? 2 : Number(isIdle);
    // Lines count from 1: the sign is free.
    block.lines[at] = isSameRow ? -line : line;
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
    for (let block = this.#blocks.pop(); block !== undefined; block = this.#blocks.pop()) {
      const { timesUs, bids, asks, lines, areIdle, ranges } = block;
      for (let at = (this.#rows - 1) % BLOCK_TICKS; at >= 0; at--, this.#rows--)
        this.#to.add(
          ...([timesUs[at], bids[at], asks[at], Math.abs(lines[at]), lines[at] < 0] as const),
          ranges && [...ranges.subarray(3 * at, 3 * at + 3)],
          areIdle[at] === 2 ? undefined : areIdle[at] === 1,
        );
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

function emptyBlock(hasRanges: boolean): Block {
  return {
    timesUs: new Float64Array(BLOCK_TICKS),
    bids: new Float64Array(BLOCK_TICKS),
    asks: new Float64Array(BLOCK_TICKS),
    lines: new Int32Array(BLOCK_TICKS),
    areIdle: new Uint8Array(BLOCK_TICKS),
    ranges: hasRanges ? new Float64Array(3 * BLOCK_TICKS) : undefined,
  };
}
