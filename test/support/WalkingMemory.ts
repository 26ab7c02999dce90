import { ENTRY_DELAY_MS, moveBetween } from '../../src/engine/features/labelOrigin.ts';

const MINUTE_MS = 60_000;
const SLOTS = 288;

type Span = { fromMs: number; endMs: number; entry: number; exit: number };

/**
 * What a SeriesMemory knows of one horizon, by its definition: each move, minute, slot and day is walked one by one, however many of them
 * are empty. Slow and plain, to compare with.
 */
export class WalkingMemory {
  readonly #periodMs: number;
  readonly #horizonMs: number;
  readonly moves: number[] = [];
  readonly squares: number[] = [];
  readonly outcomes: boolean[] = [];
  #grid: (Span & { isCounted: boolean }) | null = null;
  #forecast: (Span & { theta: number }) | null = null;
  #lastMs = NaN;
  #price = NaN;
  #close = NaN;
  #minute = NaN;
  #day = -1;
  #sums: number[] = zeros();
  #minutes: number[] = zeros();
  readonly #logs = new Float32Array(SLOTS);
  readonly days: number[] = zeros();

  /** `periodMs`: of bars; 0: ticks. */
  constructor(periodMs: number, horizonMs: number) {
    this.#periodMs = periodMs;
    this.#horizonMs = horizonMs;
  }

  push(ms: number, price: number): void {
    if (ms > this.#lastMs) this.#settle(ms, this.#minuteOf(ms));
    [this.#lastMs, this.#price] = [ms, price];
  }

  /** A forecast at the last tick, unless an earlier one is not over by then. */
  forecast(theta: number): void {
    if (this.#forecast !== null && this.#forecast.endMs > this.#lastMs) return;
    this.#extend(this.#forecast, this.#lastMs);
    this.#endForecast(Infinity);
    const entry = this.#periodMs > 0 ? this.#price : NaN;
    this.#forecast = { fromMs: this.#lastMs, endMs: this.#lastMs + this.#horizonMs, entry, exit: entry, theta };
  }

  /** As of ClockProfile. */
  values(): number[] {
    return Array.from(this.#logs, (log, slot) => Math.exp((log * this.days[slot]) / (this.days[slot] + 2)));
  }

  #minuteOf(ms: number): number {
    return Math.floor((this.#periodMs > 0 ? ms - 1 : ms) / MINUTE_MS);
  }

  #settle(ms: number, minute: number): void {
    const isPause = ms - this.#lastMs > 1_800_000 + this.#periodMs;
    this.#add(this.#lastMs);
    this.#advance(isPause ? this.#lastMs + 1 : ms);
    this.#minute = this.#minuteOf(this.#lastMs);
    if (isPause || minute > this.#minute) {
      if (!Number.isNaN(this.#close)) this.#square(this.#minute, moveBetween(this.#close, this.#price) ** 2);
      this.#close = this.#price;
    }
    for (let still = this.#minute + 1; !isPause && still < minute; still++) this.#square(still, 0);
    if (isPause) [this.#grid, this.#forecast, this.#close] = [null, null, NaN];
  }

  #add(ms: number): void {
    const fromMs = Math.ceil(ms / this.#horizonMs) * this.#horizonMs;
    this.#grid ??= { fromMs, endMs: fromMs + this.#horizonMs, entry: NaN, exit: NaN, isCounted: true };
    for (const span of [this.#grid, this.#forecast]) this.#extend(span, ms);
  }

  #extend(span: Span | null, ms: number): void {
    if (span === null || ms > span.endMs || (this.#periodMs === 0 && ms < span.fromMs + ENTRY_DELAY_MS)) return;
    if (Number.isNaN(span.entry) || (this.#periodMs > 0 && ms <= span.fromMs)) span.entry = this.#price;
    span.exit = this.#price;
  }

  #advance(ms: number): void {
    while (this.#grid !== null && this.#grid.endMs < ms) {
      const { endMs: fromMs, exit, isCounted } = this.#grid;
      if (isCounted) this.moves.push(Math.fround(sizeOf(this.#grid)));
      const entry = this.#periodMs > 0 ? exit : NaN;
      const counts = fromMs - this.#lastMs <= Math.max(MINUTE_MS, 2 * this.#horizonMs);
      this.#grid = { fromMs, endMs: fromMs + this.#horizonMs, entry, exit: entry, isCounted: counts };
    }
    this.#endForecast(ms);
  }

  #endForecast(beforeMs: number): void {
    if (this.#forecast === null || this.#forecast.endMs >= beforeMs) return;
    this.outcomes.push(sizeOf(this.#forecast) > this.#forecast.theta);
    this.#forecast = null;
  }

  #square(minute: number, square: number): void {
    this.squares.push(Math.fround(square));
    const day = Math.floor(minute / 1440);
    if (day !== this.#day) {
      this.#learnDay();
      [this.#day, this.#sums, this.#minutes] = [day, zeros(), zeros()];
    }
    const slot = Math.floor((minute - day * 1440) / 5);
    this.#sums[slot] += square;
    this.#minutes[slot] += 1;
  }

  #learnDay(): void {
    const near = (list: readonly number[], slot: number, width = Infinity): number =>
      list.slice(Math.max(0, slot - 6), slot + 7).reduce((sum, value, at) => sum + value * bell(Math.min(6, slot) - at, width), 0);
    const logs = this.#sums.map((_, slot) => {
      if (this.#minutes[slot] === 0 || near(this.#minutes, slot) < 15) return NaN;
      const width = this.days[slot] < 5 ? Infinity : 2;
      const mean = near(this.#sums, slot, width) / near(this.#minutes, slot, width);
      return mean > 0 ? Math.log(mean) : NaN;
    });
    const open = [...logs.keys()].filter((slot) => !Number.isNaN(logs[slot]));
    if (open.length < 12) return;
    const level = open.reduce((sum, slot) => sum + (logs[slot] - this.#logs[slot]), 0) / open.length;
    for (const slot of open) {
      this.days[slot] = Math.min(20, this.days[slot] + 1);
      this.#logs[slot] += (logs[slot] - level - this.#logs[slot]) / this.days[slot];
    }
  }
}

const bell = (distance: number, width: number): number => Math.exp(-0.5 * (distance / width) ** 2);
const zeros = (): number[] => Array.from({ length: SLOTS }, () => 0);
const sizeOf = ({ entry, exit }: Span): number => (Number.isNaN(entry) ? 0 : Math.abs(moveBetween(entry, exit)));
