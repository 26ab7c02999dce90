import { randomUUID } from 'node:crypto';
import type { Clock } from '../../core/Clock.ts';
import type { Logger } from '../../core/Logger.ts';
import { accountToCut } from '../../core/FairMap.ts';
import type { AlertType, Delivery, DeliveryStore, Webhook } from './Webhook.ts';

const FLUSH_MS = 1000;
/** Alerts in memory before they are stored, at most a second's; beyond, the newest of an account with more than its share is dropped and counted. */
const MOST_WAITING = 5000;
/** How long the targets of an account are remembered, and of how many accounts. */
const CACHE_MS = 60_000;
const MOST_CACHED = 10_000;
/** Deliveries of one write: a few milliseconds in SQLite. */
const BATCH = 100;

/** The data of an alert for one target; undefined: it is not told. Called once for each target, when the alert is stored. */
export type DataFor = (webhook: Webhook) => object | undefined;

type Waiting = {
  readonly accountId: string;
  readonly type: AlertType;
  readonly atMs: number;
  readonly dataFor: DataFor;
  deliveries?: Delivery[];
};

export type AlertQueueDeps = {
  readonly store: DeliveryStore;
  /** The targets of an account. Throws ServiceError `store.unavailable`. */
  readonly webhooksOf: (accountId: string) => Promise<readonly Webhook[]>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly onAlert?: (result: 'stored' | 'dropped', count: number) => void;
};

/**
 * Takes alerts without waiting and stores a delivery for each target within a second; from then on, a crash loses none. Alerts of accounts
 * without targets cost a look into a map.
 */
export class AlertQueue {
  readonly #deps: AlertQueueDeps;
  readonly #targets = new Map<string, { readonly webhooks: readonly Webhook[]; readonly untilMs: number }>();
  #waiting: Waiting[] = [];
  /** Of `#waiting`, by account. */
  readonly #counts = new Map<string, number>();
  #cancelFlush: (() => void) | undefined;
  #writing: Promise<void> | undefined;
  #dropped = 0;

  constructor(deps: AlertQueueDeps) {
    this.#deps = deps;
  }

  /** Never throws and never waits. */
  add(accountId: string, type: AlertType, dataFor: DataFor): void {
    const nowMs = this.#deps.clock.nowMs();
    if (!this.mayConcern(accountId, ({ events }) => events.includes(type))) return;
    this.#waiting.push({ accountId, type, atMs: nowMs, dataFor });
    this.#count(accountId, 1);
    if (this.#waiting.length > MOST_WAITING) this.#drop(accountToCut(this.#counts, (count) => count, MOST_WAITING, accountId));
    this.#flushLater();
  }

  /** False: no target of the account is one of these. True also where its targets are not known yet. */
  mayConcern(accountId: string, isOne: (webhook: Webhook) => boolean): boolean {
    const known = this.#targets.get(accountId);
    return known === undefined || known.untilMs <= this.#deps.clock.nowMs() || known.webhooks.some(isOne);
  }

  /** The targets of an account have changed. */
  forget(accountId: string): void {
    this.#targets.delete(accountId);
  }

  /** Stores what is waiting. Throws ServiceError `store.unavailable`; what was not stored is tried again. */
  async flush(): Promise<void> {
    this.#cancelFlush?.();
    this.#cancelFlush = undefined;
    this.#writing ??= this.#write().finally(() => (this.#writing = undefined));
    try {
      await this.#writing;
    } catch (error) {
      this.#flushLater();
      throw error;
    }
  }

  #count(accountId: string, change: number): void {
    const count = (this.#counts.get(accountId) ?? 0) + change;
    if (count === 0) this.#counts.delete(accountId);
    else this.#counts.set(accountId, count);
  }

  /** The newest alert of an account; what is being written stays. */
  #drop(accountId: string): void {
    const at = this.#waiting.findLastIndex((alert) => alert.accountId === accountId);
    const [dropped] = this.#waiting.splice(at < BATCH ? -1 : at, 1);
    this.#count(dropped!.accountId, -1);
    this.#dropped++;
    this.#deps.onAlert?.('dropped', 1);
  }

  #flushLater(): void {
    this.#cancelFlush ??= this.#deps.clock.after(FLUSH_MS, () => {
      this.flush().catch((error: unknown) => this.#deps.logger.warn('alerts not stored; they are tried again', { error }));
    });
  }

  async #write(): Promise<void> {
    const { store, logger, onAlert } = this.#deps;
    while (this.#waiting.length > 0) {
      const some = this.#waiting.slice(0, BATCH);
      for (const alert of some) alert.deliveries ??= deliveriesOf(alert, await this.#webhooksOf(alert.accountId));
      const deliveries = some.flatMap((alert) => alert.deliveries ?? []);
      if (deliveries.length > 0) await store.addDeliveries(deliveries);
      onAlert?.('stored', deliveries.length);
      this.#waiting = this.#waiting.slice(some.length);
      for (const { accountId } of some) this.#count(accountId, -1);
    }
    if (this.#dropped > 0) logger.warn('alerts dropped: more than can be stored', { dropped: this.#dropped });
    this.#dropped = 0;
  }

  async #webhooksOf(accountId: string): Promise<readonly Webhook[]> {
    const nowMs = this.#deps.clock.nowMs();
    const known = this.#targets.get(accountId);
    if (known !== undefined && known.untilMs > nowMs) return known.webhooks;
    const webhooks = await this.#deps.webhooksOf(accountId);
    if (this.#targets.size >= MOST_CACHED) this.#targets.clear();
    this.#targets.set(accountId, { webhooks, untilMs: nowMs + CACHE_MS });
    return webhooks;
  }
}

const deliveriesOf = (alert: Waiting, webhooks: readonly Webhook[]): Delivery[] =>
  webhooks.flatMap((webhook) => {
    const data = webhook.events.includes(alert.type) ? alert.dataFor(webhook) : undefined;
    return data === undefined ? [] : [deliveryOf(alert, webhook.id, data)];
  });

function deliveryOf({ accountId, type, atMs }: Waiting, webhookId: string, data: object): Delivery {
  return {
    ...{ id: `msg_${randomUUID()}`, accountId, webhookId, type, body: alertBody(type, atMs, data) },
    ...{ createdAtMs: atMs, attempts: 0, error: null, failedAtMs: null },
  };
}

/** The body of an alert, by the form of Standard Webhooks. */
export function alertBody(type: string, atMs: number, data: unknown): string {
  return JSON.stringify({ type, timestamp: new Date(atMs).toISOString(), data });
}
