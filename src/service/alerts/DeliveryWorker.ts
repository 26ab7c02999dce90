import type { Clock } from '../../core/Clock.ts';
import type { Logger } from '../../core/Logger.ts';
import { within } from '../../core/within.ts';
import { alertMessage, isOver } from './alertMessage.ts';
import type { PostResult } from './postWebhook.ts';
import { signWebhook } from './signWebhook.ts';
import type { Delivery, DeliveryStore, Settled, Webhook } from './Webhook.ts';

/** How often due deliveries are looked for. */
const POLL_MS = 1000;
/** Targets that are called at the same time, those of them that answered slowly the last time, and those of one account. */
const MOST_TARGETS = 64;
const MOST_SLOW = 32;
const MOST_OF_ACCOUNT = 2;
/** Deliveries of one target that are taken at once and sent one after the other. */
const MOST_OF_TARGET = 8;
/** After this time, the rest of the deliveries waits for the next turn of the target; one that takes longer for an attempt is slow. */
const TURN_MS = 1000;
/** Slow targets, and accounts that had a turn, that are remembered. */
const MOST_KEPT = 500;
const FIRST_RETRY_MS = 5000;
const LONGEST_RETRY_MS = 2 * 3_600_000;
const CLOSE_MS = 2000;
/** Added to the time that all attempts of one turn may take. */
const LEASE_MARGIN_MS = 30_000;

export type DeliveryWorkerDeps = {
  readonly store: DeliveryStore;
  readonly webhooksOf: (accountId: string) => Promise<readonly Webhook[]>;
  readonly post: (url: string, headers: Readonly<Record<string, string>>, body: string) => Promise<PostResult>;
  readonly timeoutMs: number;
  /** Attempts before a delivery is given up. */
  readonly mostAttempts: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** From 0 to below 1, for the jitter of retries. */
  readonly random: () => number;
  readonly onDelivery?: (result: Settled['result']) => void;
};

/** Delay before the next attempt: 5 s, 20 s, 80 s, … up to two hours, each a quarter longer or shorter. */
export function retryDelayMs(failedAttempts: number, random: number): number {
  return Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 4 ** (failedAttempts - 1)) * (0.75 + random / 2);
}

/**
 * Sends due deliveries. Accounts have turns in rotation, and targets that answer slowly have at most half of the slots, so that they delay
 * no alert of another account. Every process of a service may run one.
 */
export class DeliveryWorker {
  readonly #deps: DeliveryWorkerDeps;
  readonly #busy = new Map<string, { readonly accountId: string; readonly done: Promise<void> }>();
  /** Targets whose last attempt was slow. */
  readonly #slow = new Set<string>();
  /** Accounts that have had a turn in this round. */
  readonly #served = new Set<string>();
  #cancelPoll: (() => void) | undefined;
  #claiming: Promise<void> | undefined;
  #isClosed = false;
  #isStoreAway = false;

  constructor(deps: DeliveryWorkerDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#cancelPoll = this.#deps.clock.after(POLL_MS, () => {
      void this.poll().finally(() => {
        if (!this.#isClosed) this.start();
      });
    });
  }

  /** Starts what is due. Resolves when it is taken, not when it is delivered. */
  poll(): Promise<void> {
    return (this.#claiming ??= this.#claim().finally(() => (this.#claiming = undefined)));
  }

  /** Resolves when no delivery is in flight. */
  async untilIdle(): Promise<void> {
    while (this.#busy.size > 0) await Promise.all([...this.#busy.values()].map(({ done }) => done));
  }

  /** Waits a moment for the attempts in flight; what they do not finish is sent again after their claim. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelPoll?.();
    await this.#claiming;
    await within(this.#deps.clock, CLOSE_MS, this.untilIdle(), () => {}, true);
  }

  async #claim(): Promise<void> {
    const { logger } = this.#deps;
    try {
      while (this.#busy.size < MOST_TARGETS && !this.#isClosed) {
        let due = await this.#claimNext();
        if (due.length === 0 && this.#served.size > 0) {
          this.#served.clear();
          due = await this.#claimNext();
        }
        if (this.#isStoreAway) logger.info('due deliveries are found again');
        this.#isStoreAway = false;
        const [first] = due;
        if (first === undefined) return;
        const { accountId, webhookId } = first;
        remember(this.#served, accountId);
        const done = this.#deliver(due)
          .catch((error: unknown) => logger.warn('results of deliveries not stored; they are sent again', { webhook: webhookId, error }))
          .finally(() => this.#busy.delete(webhookId));
        this.#busy.set(webhookId, { accountId, done });
      }
    } catch (error) {
      // Each poll would log one otherwise.
      if (!this.#isStoreAway) logger.warn('due deliveries not found; they are looked for again', { error });
      this.#isStoreAway = true;
    }
  }

  /** The due deliveries of a target of the next account. */
  #claimNext(): Promise<readonly Delivery[]> {
    const { store, clock, timeoutMs } = this.#deps;
    const nowMs = clock.nowMs();
    const untilMs = nowMs + TURN_MS + timeoutMs + LEASE_MARGIN_MS;
    const inFlight = [...this.#busy.values()].map(({ accountId }) => accountId);
    const full = inFlight.filter((id) => inFlight.filter((other) => other === id).length >= MOST_OF_ACCOUNT);
    const busy = new Set(this.#busy.keys());
    if ([...busy].filter((id) => this.#slow.has(id)).length >= MOST_SLOW) for (const id of this.#slow) busy.add(id);
    return store.claimDeliveries({ nowMs, untilMs, limit: MOST_OF_TARGET, busy: [...busy], served: [...this.#served, ...full] });
  }

  async #deliver(due: readonly Delivery[]): Promise<void> {
    const { store, webhooksOf, clock } = this.#deps;
    const [{ accountId, webhookId }] = due as [Delivery];
    const webhook = (await webhooksOf(accountId)).find(({ id }) => id === webhookId);
    // The target was deleted meanwhile.
    if (webhook === undefined) return store.dropDeliveries(webhookId);
    const settled: Settled[] = [];
    const startMs = clock.monotonicMs();
    for (const delivery of due) {
      if (this.#isClosed || clock.monotonicMs() - startMs >= TURN_MS) break;
      const attemptMs = clock.monotonicMs();
      settled.push(await this.#attempt(webhook, delivery));
      if (clock.monotonicMs() - attemptMs >= TURN_MS) remember(this.#slow, webhookId);
      else this.#slow.delete(webhookId);
      // The others of a target that does not answer wait too, without an attempt of their own.
      const last = settled.at(-1)!;
      if (last.result === 'delivered') continue;
      const nextAtMs = last.result === 'retry' ? last.nextAtMs : clock.nowMs() + FIRST_RETRY_MS;
      await store.settleDeliveries(settled);
      return this.#postpone(due.slice(settled.length), nextAtMs);
    }
    await store.settleDeliveries(settled);
    await this.#postpone(due.slice(settled.length), clock.nowMs());
  }

  async #attempt(target: Webhook, { id, body, attempts, type }: Delivery): Promise<Settled> {
    const { clock, logger, mostAttempts, random, onDelivery } = this.#deps;
    const webhook = target.id;
    const isLate = isOver(type, body, clock.nowMs());
    const { status, error } = isLate ? TOO_LATE : await sendAlert(target, id, body, this.#deps);
    const settled = ((): Settled => {
      if (error === null) return { id, result: 'delivered' };
      // 410: the target wants no more.
      if (isLate || attempts + 1 >= mostAttempts || status === 410) return { id, result: 'failed', error, failedAtMs: clock.nowMs() };
      return { id, result: 'retry', error, nextAtMs: Math.round(clock.nowMs() + retryDelayMs(attempts + 1, random())) };
    })();
    onDelivery?.(settled.result);
    if (error !== null) logger.info('alert not delivered', { webhook, id, type, attempt: attempts + 1, result: settled.result, error });
    return settled;
  }

  /** Due again at a time, without counting an attempt. */
  async #postpone(deliveries: readonly Delivery[], nextAtMs: number): Promise<void> {
    if (deliveries.length > 0)
      await this.#deps.store.postponeDeliveries(
        deliveries.map(({ id }) => id),
        nextAtMs,
      );
  }
}

const TOO_LATE: PostResult = { status: null, error: 'its future timestamp has passed' };

/** Sends an alert once, in the form of its target, signed. */
export function sendAlert(
  target: Webhook,
  id: string,
  body: string,
  { post, clock }: Pick<DeliveryWorkerDeps, 'post' | 'clock'>,
): Promise<PostResult> {
  const message = alertMessage(target, body);
  const signed = signWebhook(target.secret, id, clock.nowMs(), message.body);
  return post(target.url, { ...signed, 'Content-Type': message.contentType }, message.body);
}

/** Adds a value; beyond the maximum, the oldest is forgotten. */
function remember(kept: Set<string>, value: string): void {
  kept.add(value);
  if (kept.size > MOST_KEPT) for (const oldest of kept) return void kept.delete(oldest);
}
