import argon2 from 'argon2';
import type { Clock } from '../../core/Clock.ts';
import type { Settings } from '../../core/config/settings.ts';
import { costOfHash, isAffordableHash } from '../../core/hashCost.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import { MS_PER_SECOND } from '../../core/units.ts';

/** Weight of the newest hash in the moving average of the duration. */
const NEWEST_WEIGHT = 0.2;

/**
 * Hashes passwords to PHC strings and verifies them: argon2id (RFC 9106) with one lane; a bounded number runs at a time, in order of arrival.
 * Both promises reject with ServiceError `account.busy` (with `Retry-After`) if the queue is full, and with `internal.unexpected` if the hash
 * cannot be computed.
 */
export class Argon2Hasher {
  readonly #policy: Settings['passwordHash'];
  readonly #clock: Clock;
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  #meanMs = 0;

  /**
   * Matches no password and costs as much to verify as a hash of the policy, for accounts that do not exist: 16 bytes of salt and 32 of hash,
   * all zero.
   */
  readonly dummyHash: string;

  constructor(policy: Settings['passwordHash'], clock: Clock) {
    this.#policy = policy;
    this.#clock = clock;
    this.dummyHash = `$argon2id$v=19$m=${policy.memoryKib},t=${policy.passes},p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`;
  }

  /** Number of queued passwords. */
  get waiting(): number {
    return this.#waiting.length;
  }

  hash(password: string): Promise<string> {
    const { memoryKib, passes } = this.#policy;
    return this.#inSlot(() => argon2.hash(password, { type: argon2.argon2id, memoryCost: memoryKib, timeCost: passes, parallelism: 1 }));
  }

  /** A hash that is not affordable matches no password. */
  verify(passwordHash: string, password: string): Promise<boolean> {
    const affordable = isAffordableHash(passwordHash) ? passwordHash : this.dummyHash;
    return this.#inSlot(() => argon2.verify(affordable, password));
  }

  /** Whether the stored hash is weaker than the policy and should be replaced at the next login. */
  needsRehash(passwordHash: string): boolean {
    const cost = costOfHash(passwordHash);
    return cost === undefined || cost.memoryKib < this.#policy.memoryKib || cost.passes < this.#policy.passes;
  }

  async #inSlot<T>(work: () => Promise<T>): Promise<T> {
    await this.#takeSlot();
    const startMs = this.#clock.monotonicMs();
    try {
      return await work();
    } catch (error) {
      throw new ServiceError('internal.unexpected', 'The password could not be hashed or verified.', { cause: error });
    } finally {
      const tookMs = this.#clock.monotonicMs() - startMs;
      this.#meanMs = this.#meanMs === 0 ? tookMs : this.#meanMs + NEWEST_WEIGHT * (tookMs - this.#meanMs);
      this.#passSlot();
    }
  }

  async #takeSlot(): Promise<void> {
    if (this.#running < this.#policy.concurrency) {
      this.#running++;
      return;
    }
    if (this.#waiting.length >= this.#policy.queue) {
      throw new ServiceError('account.busy', 'Too many passwords are being hashed; try again later.', {
        headers: { 'Retry-After': String(this.#drainSeconds()) },
      });
    }
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Passes the slot directly to the next one in the queue, so that a new arrival cannot overtake it. */
  #passSlot(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#running--;
    else next();
  }

  #drainSeconds(): number {
    const rounds = (this.#waiting.length + this.#running) / this.#policy.concurrency;
    return Math.max(1, Math.ceil((rounds * this.#meanMs) / MS_PER_SECOND));
  }
}

export type PasswordHasher = Pick<Argon2Hasher, 'hash' | 'dummyHash' | 'verify' | 'needsRehash'>;
