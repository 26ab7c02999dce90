import { systemClock, type Clock } from '../../../core/Clock.ts';
import type { CardFault } from '../Runtime.ts';
import { CudaError } from './CudaDriver.ts';

/** A card that had too little memory is tried again after this time. */
const RETRY_MS = 60_000;
const NO_MEMORY = 'CUDA_ERROR_OUT_OF_MEMORY';

/**
 * Whether the card of this process is used. After a fault it is not: for a minute if it had no memory left, else until the process ends, because
 * after a kernel that failed the driver answers its error to every call, also for a new context.
 */
export class CardState {
  readonly #onFault: ((fault: CardFault) => void) | undefined;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  #usableAtMs = -Infinity;

  constructor(onFault?: (fault: CardFault) => void, clock: Pick<Clock, 'monotonicMs'> = systemClock) {
    this.#onFault = onFault;
    this.#clock = clock;
  }

  isUsable(): boolean {
    return this.#clock.monotonicMs() >= this.#usableAtMs;
  }

  /** Reports a fault. */
  leave(error: unknown): void {
    const isTriedAgain = error instanceof CudaError && error.code === NO_MEMORY;
    this.#usableAtMs = isTriedAgain ? this.#clock.monotonicMs() + RETRY_MS : Infinity;
    this.#onFault?.({ message: error instanceof Error ? error.message : String(error), isTriedAgain });
  }

  /** The result of the card, or that of the processor where the card is not used or fails. */
  run<Result>(onCard: () => Result, here: () => Result): Result {
    if (!this.isUsable()) return here();
    try {
      return onCard();
    } catch (error) {
      this.leave(error);
      return here();
    }
  }
}
