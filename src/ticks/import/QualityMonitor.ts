import { US_PER_SECOND } from '../../core/units.ts';
import { LevelWatch } from '../LevelWatch.ts';
import { US_PER_DAY, US_PER_HOUR } from '../timestamps.ts';
import type { ImportKind } from './ImportReport.ts';
import { SpikeWatch } from './SpikeWatch.ts';

/** A pause of at least this long ends a session. */
const SESSION_PAUSE_US = 4 * US_PER_HOUR;
const MAX_SESSIONS = 4096;

export type Count = { count: number; firstLine: number };
export type FlatStretch = { ticks: number; lengthUs: number; fromUs: number };

/** What is seen of a file while its ticks pass by: one pass, bounded memory. `describeQuality` makes findings of it. */
export class QualityMonitor {
  readonly counts = new Map<string, Count>();
  readonly gaps = new GapTally();
  readonly spikes = new SpikeWatch();
  readonly levels: LevelWatch;
  readonly kind: ImportKind;
  ticks = 0;
  equalStamps = 0;
  /** Stamps between two whole seconds. */
  fractionalStamps = 0;
  /** Stamps at the beginning of a day. */
  midnightStamps = 0;
  /** The longest time from a tick to the next, microseconds. */
  longestUs = 0;
  /** The line of the last row whose price was 0 or less, and of the last tick. */
  lastRefusedLine = 0;
  lastLine = 0;
  firstUs = NaN;
  lastUs = NaN;
  /** The longest stretch of one price, by time. */
  readonly flat: FlatStretch = { ticks: 0, lengthUs: 0, fromUs: NaN };
  /** How often the price changed. */
  changes = -1;
  /** Minutes of the week, UTC, at which trading went on after a weekend, with the day it did. */
  readonly weekOpens: { readonly minuteOfWeek: number; readonly us: number }[] = [];
  /** Steps back by about an hour: the hour that autumn doubles. Pauses of about an hour that begin on a Sunday night in spring. */
  hoursDoubled = 0;
  hoursMissing = 0;
  /** Pauses of about an hour on other days: a market with a daily break misses none. */
  hoursPaused = 0;
  /** Rows that stand in runs of an even number of equal rows. */
  rowsInPairs = 0;
  #repeats = 0;
  #price = NaN;
  #flatFromUs = NaN;
  #flatTicks = 0;

  /** `barPeriodUs`: of bars. */
  constructor(kind: ImportKind, barPeriodUs = 0) {
    this.kind = kind;
    this.levels = new LevelWatch(kind, { periodUs: barPeriodUs });
  }

  count(code: string, line: number): void {
    const known = this.counts.get(code);
    if (known === undefined) this.counts.set(code, { count: 1, firstLine: line });
    else {
      known.count++;
      // Of a file from newest to oldest the last row is met first.
      known.firstLine = Math.min(known.firstLine, line);
    }
  }

  /** Of each row, whether it is byte for byte the row before (or, in a file that is turned round, the one after). */
  row(line: number, isRepeat: boolean): void {
    if (isRepeat) {
      this.#repeats++;
      this.count('row.repeated', line);
    } else if (this.#repeats > 0) this.#endRun();
  }

  stepBack(byUs: number, line: number): void {
    this.count('order.step_back', line);
    if (byUs > 0.9 * US_PER_HOUR && byUs <= 1.01 * US_PER_HOUR) this.hoursDoubled++;
  }

  add(timesUs: Float64Array, prices: Float64Array): void {
    if (this.ticks === 0) this.firstUs = timesUs[0];
    let last = this.lastUs;
    for (let i = 0; i < timesUs.length; i++) {
      const timeUs = timesUs[i];
      const price = prices[i];
      const gapUs = timeUs - last;
      if (gapUs > 0) {
        this.gaps.add(last, gapUs);
        if (gapUs > 0.9 * US_PER_HOUR) this.#pause(last, timeUs);
      } else if (gapUs === 0) this.equalStamps++;
      // Exact for microseconds below 2 ** 53, and several times as fast as a remainder of doubles.
      if (!Number.isInteger(timeUs / US_PER_SECOND)) this.fractionalStamps++;
      else if (Number.isInteger(timeUs / US_PER_DAY)) this.midnightStamps++;
      if (gapUs > this.longestUs) this.longestUs = gapUs;
      this.spikes.add(timeUs, price);
      this.levels.add(price, timeUs);
      if (price !== this.#price) {
        this.#endFlat(last);
        this.#price = price;
        this.changes++;
        this.#flatFromUs = timeUs;
        this.#flatTicks = 0;
      }
      this.#flatTicks++;
      last = timeUs;
    }
    this.lastUs = last;
    this.ticks += timesUs.length;
  }

  end(): void {
    this.spikes.begin();
    this.#endRun();
    this.#endFlat(this.lastUs);
  }

  #endRun(): void {
    const rows = this.#repeats + 1;
    if (rows % 2 === 0) this.rowsInPairs += rows;
    this.#repeats = 0;
  }

  #endFlat(untilUs: number): void {
    const lengthUs = untilUs - this.#flatFromUs;
    if (!(lengthUs > this.flat.lengthUs)) return;
    Object.assign(this.flat, { ticks: this.#flatTicks, lengthUs, fromUs: this.#flatFromUs });
  }

  #pause(fromUs: number, toUs: number): void {
    const date = new Date(fromUs / 1000);
    if (toUs - fromUs < 1.1 * US_PER_HOUR) {
      if (isSpringChange(date)) this.hoursMissing++;
      else this.hoursPaused++;
    }
    // A price that stood still over a closed market is no finding.
    if (toUs - fromUs >= SESSION_PAUSE_US) {
      this.#endFlat(fromUs);
      this.#flatFromUs = toUs;
      this.#flatTicks = 0;
    }
    if (!isWeekend(fromUs, toUs) || this.weekOpens.length >= MAX_SESSIONS) return;
    const open = new Date(toUs / 1000);
    this.weekOpens.push({ minuteOfWeek: (open.getUTCDay() * 24 + open.getUTCHours()) * 60 + open.getUTCMinutes(), us: toUs });
  }
}

/** Eight bins to each doubling of a gap. */
const BINS_PER_OCTAVE = 8;
const BINS = 48 * BINS_PER_OCTAVE;
const LONGEST_KEPT = 8;

/** A pause, from the tick before it to the tick after it. */
export type Gap = { readonly fromUs: number; readonly toUs: number };

/** Steps between stamps, counted in bins of 9 %: the usual one, how many are longer than a limit, and the longest themselves. Bounded memory. */
class GapTally {
  readonly #bins = new Float64Array(BINS);
  readonly #longest: Gap[] = [];
  #shortestKeptUs = 0;
  #total = 0;

  /** `gapUs` above 0. */
  add(fromUs: number, gapUs: number): void {
    this.#bins[Math.min(BINS - 1, (Math.log2(gapUs) * BINS_PER_OCTAVE) | 0)]++;
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

/** Summer time begins on the second Sunday of March (North America) or on the last one (Europe). */
function isSpringChange(date: Date): boolean {
  const day = date.getUTCDate();
  return date.getUTCMonth() === 2 && date.getUTCDay() === 0 && ((day > 7 && day <= 14) || day > 24);
}

/** From Friday afternoon or Saturday to Sunday or Monday, in any zone. */
function isWeekend(fromUs: number, toUs: number): boolean {
  const hours = (toUs - fromUs) / US_PER_HOUR;
  if (hours < 30 || hours > 80) return false;
  const [from, to] = [new Date(fromUs / 1000).getUTCDay(), new Date(toUs / 1000).getUTCDay()];
  return (from === 5 || from === 6) && (to === 0 || to === 1);
}
