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

/** A trade of the stream; `number`: undefined where the exchange numbers none. */
export type Trade = { readonly number: number | undefined; readonly timeUs: number };

export type FeedParts = ExchangeMarket & {
  readonly open: (url: string) => FeedSocket;
  readonly clock: Pick<Clock, 'nowMs' | 'after'>;
  /** Uniform in [0, 1): the jitter. */
  readonly random: () => number;
  readonly say: (text: string) => void;
  /** Where the feed begins, and how far it came: the last trade. Absent: with the last trades before the stream. */
  readonly place?: { last: Trade | undefined };
  /** A connection ended. */
  readonly onLost?: (reason: string) => void;
  /** Ends the feed. */
  readonly signal: AbortSignal;
};
