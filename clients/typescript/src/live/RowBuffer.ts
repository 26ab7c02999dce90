import { RisingOrder } from './RisingOrder.ts';

/** Rows that wait for the service: so many that a program which ignores `unsent` is told before its memory is used up. */
const MOST_UNSENT = 1_000_000;

/** After so many sent rows, the service is asked whether it has handled them. */
const CONFIRM_ROWS = 3000;

/** The rows of a series in order: all that the service has not handled yet, as far as is known, and the last ones before them. */
export abstract class RowBuffer<Row extends { readonly timeUs: number }> {
  abstract readonly type: 'ticks' | 'bars';
  readonly #kept: number;
  readonly #order = new RisingOrder<Row>();
  #rows: Row[] = [];
  #sent = 0;
  /** Rows that the service has handled, and those that it was asked about. */
  #handled = 0;
  #asked: number | undefined;
  protected crossed = 0;
  /** Its times have begun again at an earlier one: what the service has is another series. */
  isRestarted = false;
  /** What was sent is no longer right. */
  isChanged = false;

  /** `kept`: rows for a reconnection, of those that the service has handled. */
  constructor(kept: number) {
    this.#kept = kept;
  }

  /** Rows that are not sent, but ready. */
  get unsent(): number {
    return Math.max(0, this.#rows.length - this.waiting - this.#sent);
  }

  /** Rows that were left out: before the last one, far ahead of it, and crossed quotes. */
  get leftOut(): { readonly late: number; readonly ahead: number; readonly crossed: number } {
    const { late, ahead } = this.#order;
    return { late, ahead, crossed: this.crossed };
  }

  /** All that is kept counts as not sent. */
  rewind(): void {
    this.#trim();
    [this.#sent, this.#handled, this.#asked, this.isChanged] = [0, 0, undefined, false];
  }

  /** Whether the service is to be asked now whether it has handled what was sent; then it counts as asked. */
  asks(): boolean {
    if (this.#asked !== undefined || this.#sent - this.#handled < CONFIRM_ROWS) return false;
    this.#asked = this.#sent;
    return true;
  }

  /** The service has answered. `isHandled`: all of which it was asked. */
  answered(isHandled: boolean): void {
    if (isHandled && this.#asked !== undefined) this.#handled = this.#asked;
    this.#asked = undefined;
    if (this.#handled > 2 * this.#kept) this.#trim();
  }

  /** Of the rows at the end, those that are not ready. */
  protected get waiting(): number {
    return 0;
  }

  protected get first(): Row | undefined {
    return this.#rows[0];
  }

  protected get last(): Row | undefined {
    return this.#rows.at(-1);
  }

  /** A new form of the last row, or of one that is held. False: there is none of its time. */
  protected revise(row: Row): boolean {
    if (row.timeUs !== this.last?.timeUs) return this.#order.revise(row.timeUs, row);
    this.#rows[this.#rows.length - 1] = row;
    this.isChanged ||= this.#sent === this.#rows.length;
    return true;
  }

  /** @throws RangeError where too many wait: none is kept then */
  protected add(rows: readonly Row[]): void {
    if (this.unsent + rows.length > MOST_UNSENT)
      throw new RangeError(`${this.unsent} ${this.type} are unsent, and ${rows.length} more are too many: wait for drained()`);
    const order = this.#order;
    // A list that goes on where the last one ended may repeat what came before.
    const goesOn = (rows.at(-1)?.timeUs ?? 0) >= order.last;
    for (const row of rows) {
      if (goesOn && row.timeUs < order.last) {
        order.late++;
        continue;
      }
      const found = order.take(row.timeUs, row);
      if (found === 'restarted') this.#restart();
      if (found === 'next') this.#rows.push(row);
      if (found === 'confirmed' || found === 'restarted') this.#rows.push(...order.released);
    }
    if (this.#sent > MOST_UNSENT) this.#trim();
  }

  /** The next rows, which then count as sent: as many as `fits` accepts. */
  protected next(most: number, fits: (row: Row) => boolean = () => true): Row[] {
    const from = this.#sent;
    const end = Math.min(from + most, from + this.unsent);
    while (this.#sent < end && fits(this.#rows[this.#sent])) this.#sent++;
    return this.#rows.slice(from, this.#sent);
  }

  #restart(): void {
    [this.#rows, this.#sent, this.#handled, this.#asked, this.isRestarted] = [[], 0, 0, undefined, true];
  }

  #trim(): void {
    // A service that never answers has the last of a million.
    const extra = Math.max(0, (this.#sent > MOST_UNSENT ? this.#sent : this.#handled) - this.#kept);
    this.#rows.splice(0, extra);
    this.#sent -= extra;
    this.#handled = Math.max(0, this.#handled - extra);
    if (this.#asked !== undefined) this.#asked = Math.max(0, this.#asked - extra);
  }
}
