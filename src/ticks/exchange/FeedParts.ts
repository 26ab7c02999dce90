import type { Clock } from '../../core/Clock.ts';
import type { ExchangeMarket } from './exchanges.ts';

/** A WebSocket of a browser or of the package `ws`, whose `terminate` does not wait for the other end. */
export type FeedSocket = {
  onopen: ((event: never) => void) | null;
  onmessage: ((event: never) => void) | null;
  onclose: ((event: never) => void) | null;
  onerror: ((event: never) => void) | null;
  send(text: string): void;
  close(): void;
  terminate?(): void;
};

export type FeedParts = ExchangeMarket & {
  readonly open: (url: string) => FeedSocket;
  readonly clock: Pick<Clock, 'nowMs' | 'after'>;
  /** Uniform in [0, 1): the jitter. */
  readonly random: () => number;
  readonly say: (text: string) => void;
  /** Ends the feed. */
  readonly signal: AbortSignal;
};
