/** Eight bins to each doubling of a gap. */
const BINS_PER_OCTAVE = 8;
const BINS = 48 * BINS_PER_OCTAVE;
const LONGEST_KEPT = 8;

/** A pause, from the tick before it to the tick after it. */
export type Gap = { readonly fromUs: number; readonly toUs: number };

/** Steps between stamps, counted in bins of 9 %: the usual one, how many are longer than a limit, and the longest themselves. Bounded memory. */
export class GapTally {
  readonly #bins = new Float64Array(BINS);
  readonly #longest: Gap[] = [];
  #shortestKeptUs = 0;
  #total = 0;

  /** `gapUs` above 0. */
  add(fromUs: number, gapUs: number): void {
    this.#bins[Math.min(BINS - 1, (Math.log2(gapUs) * BINS_PER_OCTAVE) | 0)]!++;
    this.#total++;
    if (gapUs > this.#shortestKeptUs && !isWeekend(fromUs, fromUs + gapUs)) this.#keep({ fromUs, toUs: fromUs + gapUs });
  }

  /** Microseconds; NaN without any gap. */
  medianUs(): number {
    let left = this.#total / 2;
    if (this.#total === 0) return NaN;
    const bin = this.#bins.findIndex((count) => (left -= count) <= 0);
    return 2 ** ((bin + 0.5) / BINS_PER_OCTAVE);
  }

  countAbove(limitUs: number): number {
    const from = Math.ceil(Math.log2(limitUs) * BINS_PER_OCTAVE);
    return this.#bins.subarray(Math.min(BINS, from)).reduce((sum, count) => sum + count, 0);
  }

  /** The longest ones that are no weekend, longest first. */
  longest(): readonly Gap[] {
    return this.#longest;
  }

  #keep(gap: Gap): void {
    this.#longest.push(gap);
    this.#longest.sort((a, b) => b.toUs - b.fromUs - (a.toUs - a.fromUs));
    if (this.#longest.length > LONGEST_KEPT) this.#longest.pop();
    const last = this.#longest.at(-1)!;
    this.#shortestKeptUs = this.#longest.length < LONGEST_KEPT ? 0 : last.toUs - last.fromUs;
  }
}

const HOUR_US = 3600 * 1e6;

/** From Friday afternoon or Saturday to Sunday or Monday, in any zone. */
export function isWeekend(fromUs: number, toUs: number): boolean {
  const hours = (toUs - fromUs) / HOUR_US;
  if (hours < 30 || hours > 80) return false;
  const [from, to] = [new Date(fromUs / 1000).getUTCDay(), new Date(toUs / 1000).getUTCDay()];
  return (from === 5 || from === 6) && (to === 0 || to === 1);
}
