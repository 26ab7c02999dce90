import { barLists, checkedBars, type Bar, type BarBody, type BarRow } from '../barBody.ts';
import { formatTimestamps } from '../tickBody.ts';
import { RowBuffer } from './RowBuffer.ts';

/** The bars of a series. */
export class BarBuffer extends RowBuffer<BarRow> {
  readonly type = 'bars';
  /** The bars of this series come before they have ended: the last one waits for the next. */
  #isRunning = false;

  /**
   * Bars that came before are left out; of the last one, the newest form counts. Once it has changed, the last bar waits until the next begins.
   *
   * @throws TickError for the first bar that breaks a rule; none is kept then
   */
  push(bars: readonly Bar[]): void {
    const rows = checkedBars(bars);
    const { first, last } = this;
    const goesOn = last !== undefined && rows.length > 0 && rows.at(-1)!.timeUs >= last.timeUs;
    const isKnown = ({ timeUs }: BarRow): boolean => last !== undefined && timeUs < last.timeUs && (goesOn || timeUs >= first!.timeUs);
    const isNew = (row: BarRow): boolean => {
      if (row.timeUs === last?.timeUs) {
        if (!isEqual(row, last)) this.#isRunning = this.revise(row);
        return false;
      }
      return !isKnown(row) && !this.revise(row);
    };
    this.add(rows.filter(isNew));
  }

  /** The next bars to send, which then count as sent. */
  take(most: number): BarBody {
    const rows = this.next(most);
    return { Timestamp: formatTimestamps(rows.map(({ timeUs }) => timeUs)), ...barLists(rows) };
  }

  protected override get waiting(): number {
    return this.#isRunning ? 1 : 0;
  }
}

const isEqual = (a: BarRow, b: BarRow): boolean =>
  a.close === b.close && a.range?.open === b.range?.open && a.range?.high === b.range?.high && a.range?.low === b.range?.low;
