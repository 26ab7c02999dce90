import type { LimitPolicy } from '../../accounts/limits/RateLimit.ts';

/** One subject's count to be changed. */
export type Add = { readonly policy: LimitPolicy; readonly subject: string; readonly count: number };
export type Counted = { readonly count: number; readonly resetMs: number };

/** What a worker says to the primary process. */
export type FromWorker =
  | { readonly kind: 'ready'; readonly url: string; readonly port: number }
  | { readonly kind: 'count'; readonly id: number; readonly adds: readonly Add[] }
  /** The answer to a ping. */
  | { readonly kind: 'pong' }
  /** The keys of this account have changed. */
  | { readonly kind: 'forget'; readonly accountId: string }
  /** Its metrics, as prom-client writes them in JSON. */
  | { readonly kind: 'metrics'; readonly id: number; readonly metrics: readonly object[] };

/** What the primary process says to a worker. */
export type ToWorker =
  | { readonly kind: 'stop' }
  | { readonly kind: 'ping' }
  | { readonly kind: 'counted'; readonly id: number; readonly results: readonly Counted[] }
  | { readonly kind: 'forget'; readonly accountId: string }
  | { readonly kind: 'metrics'; readonly id: number };
