import { barLists, checkedBars, type Bar, type BarBody, type BarRow } from '../barBody.ts';
import { formatTimestamps } from '../tickBody.ts';

/** The last bars of a series, and which of them are not sent yet. */
export class BarBuffer {
  readonly type = 'bars';
  readonly #most: number;
  #rows: BarRow[] = [];
  /** Bars that were sent of those that are kept; negative: so many were dropped before they were sent. */
  #sent = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Those up to the last one that was pushed are left out. @throws TickError for the first bar that breaks a rule; none is kept then */
  push(bars: readonly Bar[]): void {
    const lastUs = this.#rows.at(-1)?.timeUs ?? -1;
    for (const row of checkedBars(bars)) if (row.timeUs > lastUs) this.#rows.push(row);
    if (this.#rows.length > 2 * this.#most) this.#trim();
  }

  /** Bars have no closes from before them. */
  closes(): undefined {
    return undefined;
  }

  get unsent(): number {
    return this.#rows.length - Math.max(0, this.#sent);
  }

  get hasGap(): boolean {
    return this.#sent < 0;
  }

  /** All that is kept counts as not sent. @returns how many bars were dropped before they were sent */
  rewind(): number {
    this.#trim();
    const dropped = Math.max(0, -this.#sent);
    this.#sent = 0;
    return dropped;
  }

  /** The next bars to send, which then count as sent. */
  take(most: number): Omit<BarBody, 'Closes'> {
    const rows = this.#rows.slice(this.#sent, this.#sent + most);
    this.#sent += rows.length;
    return { Timestamp: formatTimestamps(rows.map(({ timeUs }) => timeUs)), ...barLists(rows) };
  }

  #trim(): void {
    const extra = Math.max(0, this.#rows.length - this.#most);
    this.#rows = this.#rows.slice(extra);
    this.#sent -= extra;
  }
}
