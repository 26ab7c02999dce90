import type { Clock } from '../../core/Clock.ts';
import { every } from '../../core/every.ts';
import type { Logger } from '../../core/Logger.ts';

const CHECK_MS = 60_000;
/** Keys expire and alerts fall due by the clock of each replica. */
const MOST_OFFSET_MS = 2000;

export type ClockCheckDeps = {
  /** The clock of the database. */
  readonly databaseMs: () => Promise<number>;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
};

/** Compares the wall clock with that of the database once a minute, and logs when they begin or cease to differ by more than 2 s. */
export class ClockCheck {
  readonly #deps: ClockCheckDeps;
  #offsetMs = 0;
  #isOff = false;
  #cancel = (): void => {};

  constructor(deps: ClockCheckDeps) {
    this.#deps = deps;
  }

  /** Positive: this clock is ahead. 0 until the database has answered. */
  get offsetMs(): number {
    return this.#offsetMs;
  }

  /** Checks now and then once a minute, until `close`. */
  start(): void {
    // Without an answer, the last offset stays.
    const check = (): void => void this.check().catch(() => {});
    check();
    this.#cancel = every(this.#deps.clock, CHECK_MS, check);
  }

  close(): void {
    this.#cancel();
  }

  /** Throws if the database does not answer. */
  async check(): Promise<void> {
    const { clock, databaseMs, logger } = this.#deps;
    const startMs = clock.monotonicMs();
    const serverMs = await databaseMs();
    const halfTripMs = (clock.monotonicMs() - startMs) / 2;
    this.#offsetMs = clock.nowMs() - halfTripMs - serverMs;
    const offsetS = Math.round(this.#offsetMs) / 1000;
    // The server read its clock at any moment of the round trip.
    if (Math.abs(this.#offsetMs) - halfTripMs > MOST_OFFSET_MS) {
      if (!this.#isOff)
        logger.warn('the clock of this machine differs from that of the database: keys expire at the wrong time; synchronise it (NTP)', {
          offsetS,
        });
      this.#isOff = true;
    } else if (this.#isOff && Math.abs(this.#offsetMs) + halfTripMs <= MOST_OFFSET_MS) {
      logger.info('the clock of this machine agrees with that of the database again', { offsetS });
      this.#isOff = false;
    }
  }
}
