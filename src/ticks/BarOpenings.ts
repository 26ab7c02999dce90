import type { BarTime } from '../core/barTime.ts';
import { US_PER_SECOND } from '../core/units.ts';
import { END_US } from './timestamps.ts';

/** Sessions begin at full and half hours, and the bar that begins there is busier than its neighbours. */
const STEP_US = 1800 * US_PER_SECOND;
/** A pause of at least this long ends a session. */
const PAUSE_US = STEP_US;
/** Longer bars have no neighbours between two half hours. */
const LONGEST_US = STEP_US / 3;
/** Sessions that begin one bar off, and their fraction of all, for a finding. */
const LEAST_SESSIONS = 3;
const LEAST_SHARE = 0.7;
/** Half hours, and standard errors by which a neighbour is busier, for a finding. */
const LEAST_HALF_HOURS = 30;
const LEAST_ERRORS = 3.5;

/** What the timestamps of bars seem to be, and why. */
export type StampEvidence = { readonly barTime: BarTime; readonly text: string };

/** Microseconds of a time, and more than any price. */
const MOST_SAVED = END_US;
type SavedOpenings = [number, number, number, number, number, number, number, number, number, ...number[]];

const EDGES = { open: 'beginnings', close: 'ends' } as const;

/** What the timestamps were read as. */
export const readText = (read: BarTime): string => `The timestamps were read as the ${EDGES[read]} of the bars.`;
export const looksText = ({ barTime, text }: StampEvidence): string => `They look like the ${EDGES[barTime]}: ${text}.`;

/**
 * Tells beginnings and ends of bars apart by the clock, which a shift of all bars by one period does not leave as it was: after pauses, sessions
 * begin at full or half hours, and the bars that begin there are the busiest. A few sums, whatever comes.
 */
export class BarOpenings {
  /** Numbers of `save`. */
  static readonly SAVED = 15;
  readonly #periodUs: number;
  readonly #isOpen: boolean;
  #previous = { startUs: NaN, activity: NaN, close: NaN };
  #beforePrevious = { startUs: NaN, activity: NaN };
  /** Sessions by the place of their first bar, in periods after a half hour: -1, 0, 1; and all of them. */
  readonly #sessions = { before: 0, at: 0, after: 0, all: 0 };
  /** Of the bar one period before a half hour and of the one after it, against that which begins there. */
  readonly #before = new Mean();
  readonly #after = new Mean();

  /** `barTime`: as the timestamps were read; null: not known, read as `open`. */
  constructor(periodUs: number, barTime: BarTime | null) {
    this.#periodUs = periodUs;
    this.#isOpen = barTime !== 'close';
  }

  /** The next bar, by its end; `high` and `low` may be missing. */
  push(endUs: number, close: number, high = NaN, low = NaN): void {
    const period = this.#periodUs;
    if (period > LONGEST_US || STEP_US % period !== 0) return;
    const startUs = endUs - period;
    const { startUs: lastUs, activity: last, close: lastClose } = this.#previous;
    const isNext = startUs - lastUs === period;
    // The first of a session has no close before it that counts.
    const activity = Number.isNaN(high) ? (isNext ? Math.abs(Math.log(close / lastClose)) : NaN) : Math.log(high / low);
    const place = placeOf(startUs, period);
    if (startUs - lastUs - period >= PAUSE_US) {
      this.#sessions.all++;
      if (place === -1) this.#sessions.before++;
      else if (place === 0) this.#sessions.at++;
      else if (place === 1) this.#sessions.after++;
    }
    if (place === 1 && isNext && lastUs - this.#beforePrevious.startUs === period) {
      this.#after.add(contrast(activity, last));
      this.#before.add(contrast(this.#beforePrevious.activity, last));
    }
    this.#beforePrevious = { startUs: lastUs, activity: last };
    this.#previous = { startUs, activity, close };
  }

  /** The next bar is not the one after the last: what lies between them is no pause of the market. */
  cut(): void {
    this.#previous = { startUs: NaN, activity: NaN, close: NaN };
    this.#beforePrevious = { startUs: NaN, activity: NaN };
  }

  save(): number[] {
    const { startUs, activity, close } = this.#previous;
    const { before, at, after, all } = this.#sessions;
    const earlier = this.#beforePrevious;
    return [
      startUs,
      activity,
      close,
      earlier.startUs,
      earlier.activity,
      before,
      at,
      after,
      all,
      ...this.#before.save(),
      ...this.#after.save(),
    ];
  }

  /** What `save` of bars of the same period returned; false: it cannot have returned that. */
  load(saved: readonly number[]): boolean {
    const [startUs, activity, close, earlierUs, earlier, before, at, after, all, ...means] = saved as SavedOpenings;
    this.#previous = { startUs, activity, close };
    this.#beforePrevious = { startUs: earlierUs, activity: earlier };
    Object.assign(this.#sessions, { before, at, after, all });
    const isKnown = [startUs, activity, close, earlierUs, earlier].every((value) => Number.isNaN(value) || Math.abs(value) <= MOST_SAVED);
    const areCounts = [before, at, after, all].every((count) => Number.isSafeInteger(count) && count >= 0);
    const areMeans = [this.#before.load(means.slice(0, 3)), this.#after.load(means.slice(3))].every(Boolean);
    return isKnown && areCounts && areMeans && before + at + after <= all && !(close <= 0 || activity < 0 || earlier < 0);
  }

  /** What the timestamps seem to be, and why; null: the bars so far do not tell. */
  evidence(): StampEvidence | null {
    const { before, at, after } = this.#sessions;
    const [other, asRead, side] = this.#isOpen ? (['close', 'open', 'after'] as const) : (['open', 'close', 'before'] as const);
    const busier = this.#isOpen ? this.#after : this.#before;
    return (
      this.#evidence(other, `one bar ${side}`, this.#isOpen ? after : before, busier, busier.errors) ??
      this.#evidence(asRead, 'at', at, busier, -busier.errors)
    );
  }

  #evidence(barTime: BarTime, place: string, sessions: number, { count }: Mean, errors: number): StampEvidence | null {
    const { all } = this.#sessions;
    const found: string[] = [];
    if (sessions >= LEAST_SESSIONS && sessions >= LEAST_SHARE * all)
      found.push(`${sessions} of ${all} sessions begin ${place} a full or half hour, and markets open at one`);
    if (count >= LEAST_HALF_HOURS && errors >= LEAST_ERRORS)
      found.push(
        `bars that begin ${place} full and half hours are busier than their neighbours, as the first bars of half hours are (${count} half hours, ${errors.toFixed(1)} standard errors)`,
      );
    return found.length === 0 ? null : { barTime, text: found.join('; ') };
  }
}

/** How many periods after the nearest half hour a bar begins; NaN: none whole. */
function placeOf(startUs: number, period: number): number {
  const after = startUs % STEP_US;
  return (after > STEP_US / 2 ? after - STEP_US : after) / period;
}

/** From -1 to 1: how much busier one bar is than another; NaN if neither moved. */
const contrast = (activity: number, other: number): number => (activity - other) / (activity + other);

/** A running mean and its error; NaN is left out. */
class Mean {
  count = 0;
  #sum = 0;
  #squares = 0;

  add(value: number): void {
    if (Number.isNaN(value)) return;
    this.count++;
    this.#sum += value;
    this.#squares += value * value;
  }

  save(): number[] {
    return [this.count, this.#sum, this.#squares];
  }

  /** False: no values from -1 to 1 have it. */
  load([count, sum, squares]: readonly number[]): boolean {
    this.count = count!;
    this.#sum = sum!;
    this.#squares = squares!;
    return Number.isSafeInteger(count) && count! >= 0 && Math.abs(sum!) <= count! && squares! >= 0 && squares! <= count!;
  }

  /** The mean in standard errors. */
  get errors(): number {
    const mean = this.#sum / this.count;
    return mean / Math.sqrt((this.#squares / this.count - mean * mean) / (this.count - 1));
  }
}
