import type { Random } from '../../src/core/Random.ts';
import { US_PER_SECOND } from '../../src/core/units.ts';
import { syntheticTicks } from '../../src/ticks/syntheticTicks.ts';
import { formatTimestamp, parseTimestampUs } from '../../src/ticks/timestamps.ts';
import type { LiveMessage } from '../../clients/typescript/src/index.ts';
import { readDetailed } from './windows.ts';

/** About eight seconds of the run, and several minutes of ticks. */
const TICKS = 800;
const GAP_MS = 250;
const LEAST_TICKS = 199;
/** Ticks of a window of these horizons. */
const WINDOW = 500;
const TOLERANCE = 1e-6;

export const LIVE_PLANS = [
  { horizon: '10s', every: '5s', seconds: [10, 5] },
  { horizon: '60s', every: '10s', seconds: [60, 10] },
] as const;

type Message<Type> = Extract<LiveMessage, { readonly type: Type }>;
export type LiveTick = { readonly timeUs: number; readonly price: number };

/** Name of a forecast that does not depend on its number: plan and time of the last tick. */
type Spot = string;
const spotOf = (id: string, us: number): Spot => `${id} at ${us}`;

/** A forecast that is due, the request that it must equal, and its right answer. */
export type DueForecast = { readonly body: object; mark: 1 | null; probability: number | null };

/** Ticks of a series with the right forecasts, and the right outcomes once `learnOutcome` has got them. */
export class LiveFeed {
  readonly ticks: readonly LiveTick[];
  readonly due = new Map<Spot, DueForecast>();
  /** By the name of their forecast. */
  readonly outcomes = new Map<Spot, Pick<Message<'outcome'>, 'moved' | 'move_bps' | 'reason'>>();

  constructor(random: Random) {
    const { timesUs, prices } = syntheticTicks({ seed: random.integer(1e9), count: TICKS, medianGapMs: GAP_MS });
    this.ticks = Array.from(prices, (price, i) => ({ timeUs: timesUs[i], price }));
    for (const { horizon, seconds } of LIVE_PLANS) {
      const [horizonS, everyS] = seconds;
      const intervalOf = (i: number): number => Math.floor(timesUs[i] / (everyS * US_PER_SECOND));
      for (let i = LEAST_TICKS - 1; i < TICKS; i++)
        if (intervalOf(i) > intervalOf(i - 1)) this.due.set(spotOf(horizon, timesUs[i]), this.#dueAt(i, horizonS));
    }
  }

  #dueAt(i: number, horizonS: number): DueForecast {
    const window = this.ticks.slice(Math.max(0, i + 1 - WINDOW), i + 1);
    const stamps = [...window.map(({ timeUs }) => timeUs), window.at(-1)!.timeUs + horizonS * US_PER_SECOND];
    const body = {
      Timestamp: stamps.map((us) => formatTimestamp(us)),
      Price: [...window.map(({ price }) => price), 0],
    };
    return { body, mark: null, probability: null };
  }
}

/** What one lap over a feed has given. */
export class LiveLap {
  readonly #feed: LiveFeed;
  /** Names of forecasts by id and number. */
  readonly #spots = new Map<string, Spot>();
  readonly #settled = new Set<Spot>();
  skipped = 0;

  constructor(feed: LiveFeed) {
    this.#feed = feed;
  }

  /** Outcomes that the track record compares with the forecast; it counts the others as unscored. */
  get scored(): number {
    const { due, outcomes } = this.#feed;
    return [...this.#settled].filter((spot) => (outcomes.get(spot)?.moved ?? null) !== null && due.get(spot)?.probability !== null).length;
  }

  /** Forecasts that have not come. Some may have been skipped on one connection and made on the next one. */
  get absent(): number {
    return this.#feed.due.size - this.#spots.size;
  }

  /** Forecasts that have neither come nor been skipped, and outcomes of those that have come. */
  get missing(): { readonly forecasts: number; readonly outcomes: number } {
    const come = new Set(this.#spots.values());
    const unsettled = [...this.#feed.outcomes.keys()].filter((spot) => come.has(spot) && !this.#settled.has(spot));
    return { forecasts: Math.max(0, this.absent - this.skipped), outcomes: unsettled.length };
  }

  /** The fault of a forecast; undefined: it is right, and the first one of its kind. */
  forecast({ id, n, timestamp, trend_identified: mark, probability }: Message<'forecast'>): string | undefined {
    const spot = spotOf(id, parseTimestampUs(timestamp));
    const right = this.#feed.due.get(spot);
    if (right === undefined) return `a forecast that was not due: ${spot}`;
    if (this.#spots.has(`${id} ${n}`) || [...this.#spots.values()].includes(spot)) return `a second forecast ${n} of ${spot}`;
    this.#spots.set(`${id} ${n}`, spot);
    const isNear = probability === right.probability || Math.abs((probability ?? NaN) - (right.probability ?? NaN)) <= TOLERANCE;
    return isNear && mark === right.mark
      ? undefined
      : `wrong forecast ${mark} ${probability} of ${spot}, expected ${right.mark} ${right.probability}`;
  }

  /** The fault of an outcome. */
  outcome(message: Message<'outcome'>): string | undefined {
    const { id, n, moved, move_bps: bps, reason } = message;
    const spot = this.#spots.get(`${id} ${n}`);
    if (spot === undefined) return `an outcome without forecast: ${id} ${n}`;
    if (this.#settled.has(spot)) return `a second outcome of ${spot}`;
    this.#settled.add(spot);
    const right = this.#feed.outcomes.get(spot);
    return right?.moved === moved && right.move_bps === bps && right.reason === reason
      ? undefined
      : `wrong outcome ${JSON.stringify(message)} of ${spot}, expected ${JSON.stringify(right)}`;
  }

  /** Keeps the outcome as the right one: before any fault. */
  learnOutcome({ id, n, moved, move_bps, reason }: Message<'outcome'>): void {
    const spot = this.#spots.get(`${id} ${n}`);
    if (spot === undefined) throw new Error(`an outcome without forecast before any fault: ${id} ${n}`);
    this.#settled.add(spot);
    this.#feed.outcomes.set(spot, { moved, move_bps, ...(reason === undefined ? {} : { reason }) });
  }
}

/** Keeps the answer of POST /auth/ti-tick?detail=full as the right one. */
export function learnForecast(due: DueForecast, text: string): void {
  Object.assign(due, readDetailed(text));
}
