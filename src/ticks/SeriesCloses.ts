import { MAX_CLOSES, US_PER_MINUTE } from '../core/units.ts';
import type { TickSeries } from './TickSeries.ts';
import { TickWindow } from './TickWindow.ts';

/** The last price of each minute of a series, of the last 1500 minutes with a tick: 24 kB at most. */
export class SeriesCloses {
  #past = new TickWindow(MAX_CLOSES);
  /** The current minute, since 1970 UTC; its last tick is not in `#past` yet. */
  #minute = -1;
  #timeUs = 0;
  #price = 0;

  /** Forgets all, and begins with these. */
  restart({ timesUs, prices }: TickSeries): void {
    this.#past = new TickWindow(MAX_CLOSES);
    this.#minute = -1;
    for (let i = 0; i < timesUs.length; i++) this.push(timesUs[i]!, prices[i]!);
  }

  push(timeUs: number, price: number): void {
    const minute = Math.floor(timeUs / US_PER_MINUTE);
    if (minute !== this.#minute) {
      if (this.#minute >= 0) this.#past.push(this.#timeUs, this.#price);
      this.#minute = minute;
    }
    this.#timeUs = timeUs;
    this.#price = price;
  }

  /** The closes of minutes before that of `firstUs`, the first tick of a window up to the last tick; undefined without any. */
  before(firstUs: number): TickSeries | undefined {
    const { timesUs, prices } = this.#past.last(MAX_CLOSES);
    const endUs = Math.floor(firstUs / US_PER_MINUTE) * US_PER_MINUTE;
    let count = timesUs.length;
    while (count > 0 && timesUs[count - 1]! >= endUs) count--;
    return count === 0 ? undefined : { timesUs: timesUs.subarray(0, count), prices: prices.subarray(0, count) };
  }
}
