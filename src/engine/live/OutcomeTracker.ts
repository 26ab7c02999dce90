import { sessionGapS } from '../features/sessionGap.ts';
import { entryDelayMs, moveBetween } from '../features/labelOrigin.ts';
import type { Touches } from '../features/Touches.ts';
import type { BarRange } from '../../ticks/TickWindow.ts';

/** No shorter gap is a pause of the market. */
const LEAST_PAUSE_MS = 1000 * sessionGapS(0);

/**
 * What came true of one forecast: log return from entry to exit, the longest gap above half an hour that touches its horizon, and how often the
 * price went to another level within it.
 */
export type Settled = { readonly move: number; readonly longestGapMs: number; readonly steps: number };

type Open<T> = {
  readonly item: T;
  readonly startMs: number;
  readonly endMs: number;
  /** Follows the prices after the entry. */
  readonly touches: Pick<Touches, 'add'> | undefined;
  entryPrice: number;
  longestGapMs: number;
  steps: number;
  /** The last step was one to another level, after the entry. */
  isAway: boolean;
};

/**
 * Labels the forecasts of one horizon while ticks arrive, without keeping the ticks. The label is that of `labelOrigin` (a test compares
 * them): timestamps cut to ms, of equal ones the last price counts. All forecasts have one horizon, so they enter and end in order.
 */
export class OutcomeTracker<T> {
  readonly #horizonMs: number;
  readonly #delayMs: number;
  readonly #onEntry: ((item: T, price: number) => void) | undefined;
  /** In order of their origins. */
  readonly #open: Open<T>[] = [];
  /** Number of `#open` that have an entry, and how many of those entered before the current timestamp. */
  #entered = 0;
  #enteredBefore = 0;
  #lastMs = -Infinity;
  #lastPrice = NaN;
  #lastRange: BarRange | undefined;
  #lastSpreadBps: number | undefined;
  /** Open forecasts with touches. */
  #touching = 0;

  /** `barPeriodMs`: above 0 for closes of bars. `onEntry`: called when the price of an entry is known. */
  constructor(horizonMs: number, barPeriodMs = 0, onEntry?: (item: T, price: number) => void) {
    this.#horizonMs = horizonMs;
    this.#onEntry = onEntry;
    this.#delayMs = entryDelayMs(barPeriodMs);
  }

  /** Forecasts without outcome. */
  get size(): number {
    return this.#open.length;
  }

  /** A forecast at the last tick. */
  add(item: T, touches?: Pick<Touches, 'add'>): void {
    if (touches !== undefined) this.#touching++;
    const [startMs, endMs] = [this.#lastMs, this.#lastMs + this.#horizonMs];
    this.#open.push({ item, startMs, endMs, touches, entryPrice: NaN, longestGapMs: 0, steps: 0, isAway: false });
    if (this.#delayMs === 0) this.#entered++;
  }

  /** A forecast of an earlier run, after those before it: at the last tick, or with the price of its entry, before the first one. */
  restore(item: T, startMs: number, entryPrice?: number): void {
    const open = { item, startMs, endMs: startMs + this.#horizonMs, touches: undefined, longestGapMs: 0, steps: 0, isAway: false };
    this.#open.push({ ...open, entryPrice: entryPrice ?? NaN });
    if (entryPrice !== undefined) this.#enteredBefore++;
    if (entryPrice !== undefined || this.#delayMs === 0) this.#entered++;
  }

  /** The next tick; `settle` gets each forecast whose future timestamp is now known to have passed. */
  push(timeMs: number, price: number, settle: (item: T, settled: Settled) => void, range?: BarRange, spreadBps?: number): void {
    const open = this.#open;
    if (timeMs !== this.#lastMs) {
      if (this.#touching > 0) this.#touch();
      // Their timestamp has no later price.
      for (let i = this.#enteredBefore; i < this.#entered; i++) {
        open[i].entryPrice = this.#lastPrice;
        this.#onEntry?.(open[i].item, this.#lastPrice);
      }
      const gapMs = timeMs - this.#lastMs;
      if (gapMs > LEAST_PAUSE_MS)
        for (const one of open) if (this.#lastMs < one.endMs) one.longestGapMs = Math.max(one.longestGapMs, gapMs);
      while (open.length > 0 && open[0].endMs < timeMs) {
        const { item, touches, entryPrice, longestGapMs, steps } = open.shift()!;
        if (touches !== undefined) this.#touching--;
        const hasEntry = this.#entered > 0;
        if (hasEntry) this.#entered--;
        settle(item, { move: hasEntry ? moveBetween(entryPrice, this.#lastPrice) : 0, longestGapMs, steps });
      }
      this.#enteredBefore = this.#entered;
    }
    while (this.#entered < open.length && open[this.#entered].startMs + this.#delayMs <= timeMs) this.#entered++;
    this.#lastMs = timeMs;
    this.#lastPrice = price;
    this.#lastRange = range;
    this.#lastSpreadBps = spreadBps;
  }

  /** The last price went to another level, or `isBack`: came back from there. For those that have entered before, nothing has been then. */
  changeLevel(isBack: boolean): void {
    for (const one of this.#open.slice(0, this.#enteredBefore)) {
      one.steps += isBack && one.isAway ? -1 : 1;
      one.isAway = !isBack;
    }
  }

  /** The last price is final: those that have entered before it may be reached by it. */
  #touch(): void {
    for (const { touches, endMs } of this.#open.slice(0, this.#enteredBefore))
      if (endMs >= this.#lastMs) touches?.add(this.#lastPrice, this.#lastRange, this.#lastSpreadBps);
  }

  /** Ends all: their outcomes stay unknown. */
  clear(): T[] {
    this.#entered = this.#enteredBefore = this.#touching = 0;
    return this.#open.splice(0).map(({ item }) => item);
  }
}

/** Whether a gap of this length is a pause of the market for a window with this median gap, or of bars. */
export function isPause(gapMs: number, medianGapS: number | null, barPeriodMs = 0): boolean {
  return gapMs > 1000 * sessionGapS(medianGapS ?? 0, barPeriodMs);
}
