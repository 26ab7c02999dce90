import { digitsOf } from './priceDigits.ts';

/** The price axis. Places are pixels from the top. */
export class PriceScale {
  readonly #low: number;
  readonly #high: number;
  readonly top: number;
  readonly bottom: number;

  constructor([low, high]: readonly [number, number], { top, height }: { readonly top: number; readonly height: number }) {
    this.#low = low;
    this.#high = high;
    this.top = top;
    this.bottom = top + height;
  }

  yOf(price: number): number {
    return this.bottom - ((price - this.#low) / (this.#high - this.#low)) * (this.bottom - this.top);
  }

  priceAt(y: number): number {
    return this.#low + ((this.bottom - y) / (this.bottom - this.top)) * (this.#high - this.#low);
  }

  /** Round prices at least `spacePx` apart. */
  labels(spacePx: number): { readonly price: number; readonly text: string }[] {
    const least = ((this.#high - this.#low) * spacePx) / (this.bottom - this.top);
    const power = 10 ** Math.floor(Math.log10(least));
    const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= least)!;
    const digits = digitsOf(step);
    const labels = [];
    for (let at = Math.ceil(this.#low / step); at * step <= this.#high; at++)
      labels.push({ price: at * step, text: (at * step).toFixed(digits) });
    return labels;
  }
}
