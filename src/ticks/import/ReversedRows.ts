import { BLOCK_TICKS } from '../TickSeries.ts';
import { fileFault } from './ImportReport.ts';
import type { RowOutput } from './TickStage.ts';

/** Rows that are held to be turned round: 28 bytes each, 448 MiB in all. */
const MAX_REVERSED_ROWS = 2 ** 24;

type Block = { readonly timesUs: Float64Array; readonly bids: Float64Array; readonly asks: Float64Array; readonly lines: Int32Array };

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

  add(timeUs: number, bid: number, ask: number, line: number, isSameRow: boolean): void {
    if (this.#rows === this.#maxRows) throw this.#tooMany();
    const at = this.#rows++ % BLOCK_TICKS;
    if (at === 0) this.#blocks.push(emptyBlock());
    const block = this.#blocks.at(-1)!;
    block.timesUs[at] = timeUs;
    block.bids[at] = bid;
    block.asks[at] = ask;
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
      const { timesUs, bids, asks, lines } = block;
      for (let at = (this.#rows - 1) % BLOCK_TICKS; at >= 0; at--, this.#rows--)
        this.#to.add(timesUs[at]!, bids[at]!, asks[at]!, Math.abs(lines[at]!), lines[at]! < 0);
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

function emptyBlock(): Block {
  return {
    timesUs: new Float64Array(BLOCK_TICKS),
    bids: new Float64Array(BLOCK_TICKS),
    asks: new Float64Array(BLOCK_TICKS),
    lines: new Int32Array(BLOCK_TICKS),
  };
}
