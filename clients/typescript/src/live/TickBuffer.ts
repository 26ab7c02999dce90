import { TickError } from '../errors.ts';
import { checkedUs, formatTimestamps, priceOf, type Tick } from '../tickBody.ts';
import { RowBuffer } from './RowBuffer.ts';

/** `bid` and `ask`: NaN for ticks without. */
type TickRow = { readonly timeUs: number; readonly price: number; readonly bid: number; readonly ask: number };

/** The ticks of a series. */
export class TickBuffer extends RowBuffer<TickRow> {
  readonly type = 'ticks';

  /** All or nothing. A crossed quote is left out. @throws TickError for the first tick that breaks a rule */
  push(ticks: readonly Tick[]): void {
    const rows = checked(ticks);
    const right = rows.filter(({ bid, ask }) => !(bid > ask));
    this.add(right);
    this.crossed += rows.length - right.length;
  }

  /** The next ticks of one kind to send, prices or quotes, which then count as sent. */
  take(most: number): { Timestamp: string[] } & ({ Price: number[] } | { Bid: number[]; Ask: number[] }) {
    let isPrice: boolean | undefined;
    const rows = this.next(most, ({ bid }) => (isPrice ??= Number.isNaN(bid)) === Number.isNaN(bid));
    const Timestamp = formatTimestamps(rows.map(({ timeUs }) => timeUs));
    if (isPrice === true) return { Timestamp, Price: rows.map(({ price }) => price) };
    return { Timestamp, Bid: rows.map(({ bid }) => bid), Ask: rows.map(({ ask }) => ask) };
  }
}

/** @throws TickError for the first tick that breaks a rule, and for a list whose newest tick comes first */
function checked(ticks: readonly Tick[]): TickRow[] {
  const rows = ticks.map((tick, index) => {
    const refuse = (field: TickError['field'], rule: string, value: unknown): never => {
      throw new TickError(index, field, rule, value);
    };
    const timeUs = checkedUs(tick, 'price' in tick || !('bid' in tick) ? ['price'] : ['bid', 'ask'], refuse);
    const [bid, ask] = 'price' in tick ? [NaN, NaN] : [tick.bid, tick.ask];
    return { timeUs, price: priceOf(tick), bid, ask };
  });
  const backwards = rows.map(({ timeUs }, i) => Math.sign(timeUs - rows[Math.max(0, i - 1)].timeUs));
  if (backwards.reduce((sum, step) => sum + step, 0) >= 0) return rows;
  const index = backwards.indexOf(-1);
  const [before, given] = formatTimestamps([rows[index - 1].timeUs, rows[index].timeUs]);
  throw new TickError(index, 'time', `must not be before the tick before it (${before}): the oldest comes first`, given);
}
