import type { AlertFormat, AlertRule } from '../../contract/alertRule.ts';

/** What an account can be told: a mark, what came true after it, and that its track record has become worse than the baseline. */
export const ALERT_TYPES = ['forecast.marked', 'forecast.settled', 'record.worse'] as const;

export type AlertType = (typeof ALERT_TYPES)[number];

/** Sent by the test route only. */
export const TEST_TYPE = 'webhook.test';

/** Most targets of one account. */
export const MOST_WEBHOOKS = 5;

/** A target of alerts. `secret` signs them: it is stored as it is, because signing needs it, and is returned only once and never logged. */
export type Webhook = {
  readonly id: string;
  readonly url: string;
  readonly secret: string;
  readonly events: readonly AlertType[];
  readonly createdAtMs: number;
  /** Whether the target was told that the record is worse, and not yet that of a later change. */
  readonly recordIsWorse: boolean;
  /** Which forecasts it is told; absent: marks. */
  readonly rule?: AlertRule;
  /** Absent: `json`. */
  readonly format?: AlertFormat;
  /** Of `telegram`. */
  readonly chatId?: string;
};

/** An alert for one target, which is stored until it was delivered. */
export type Delivery = {
  /** Stays the same over all attempts: the target recognizes repetitions by it. */
  readonly id: string;
  readonly accountId: string;
  readonly webhookId: string;
  readonly type: AlertType;
  /** The bytes that are sent and signed. */
  readonly body: string;
  readonly createdAtMs: number;
  /** Attempts that failed. */
  readonly attempts: number;
  /** Why the last attempt failed. */
  readonly error: string | null;
  /** When it was given up; null: it is pending. */
  readonly failedAtMs: number | null;
};

/** Pending deliveries, and failed ones, that are kept of one target. */
export const MOST_PENDING = 1000;
export const MOST_FAILED = 100;

/** Result of an attempt: delivered, to be tried again at a time, or given up. */
export type Settled =
  | { readonly id: string; readonly result: 'delivered' }
  | { readonly id: string; readonly result: 'retry'; readonly error: string; readonly nextAtMs: number }
  | { readonly id: string; readonly result: 'failed'; readonly error: string; readonly failedAtMs: number };

export type Claim = {
  readonly nowMs: number;
  /** Until then, no other process gets the deliveries; after a crash they are due again. */
  readonly untilMs: number;
  readonly limit: number;
  /** Targets of which none is wanted. */
  readonly busy: readonly string[];
  /** Accounts of which none is wanted. */
  readonly served: readonly string[];
};

/** The part of the account store that keeps deliveries. Every method throws only ServiceError `store.unavailable`. */
export type DeliveryStore = {
  /**
   * Stores deliveries that are due at once, and skips accounts that do not exist. Of a target with more than MOST_PENDING, the oldest are
   * given up; of its failed ones, the newest MOST_FAILED stay.
   */
  addDeliveries(deliveries: readonly Delivery[]): Promise<void>;
  /** Takes the due deliveries of one target, that of the one that is due longest, oldest first; none: an empty list. */
  claimDeliveries(claim: Claim): Promise<readonly Delivery[]>;
  settleDeliveries(settled: readonly Settled[]): Promise<void>;
  /** Due at a time, without counting an attempt. */
  postponeDeliveries(ids: readonly string[], nextAtMs: number): Promise<void>;
  /** Those that were given up, newest first. */
  listFailed(webhookId: string): Promise<readonly Delivery[]>;
  /** All of a target. */
  dropDeliveries(webhookId: string): Promise<void>;
};
