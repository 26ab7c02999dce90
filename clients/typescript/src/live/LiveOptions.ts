import type { ASK_OPTIONS, RequestOptions } from '../options.ts';
import type { WebSocketConstructor } from './WebSocketLike.ts';

export type LiveOptions = {
  /** Needed where there is no global one, as in Node.js 20: that of the package `ws`. */
  readonly WebSocket?: WebSocketConstructor | undefined;
  /** Ends the connection; the iteration then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Messages that wait for the reader; beyond it, the oldest is dropped and counted. Default 10,000. */
  readonly maxWaiting?: number | undefined;
  /** Milliseconds before the first attempt to connect again, and most between two; default 250 and 30,000. */
  readonly firstWaitMs?: number | undefined;
  readonly longestWaitMs?: number | undefined;
  /** So long after the connection was lost, the iteration throws ConnectionError; default: never. */
  readonly giveUpMs?: number | undefined;
};

export type AskRequest = Pick<RequestOptions, (typeof ASK_OPTIONS)[number]> & {
  readonly horizon: string;
  readonly detail?: boolean | undefined;
};

export type LiveSetup = {
  readonly url: string;
  readonly apiKey: string | undefined;
  readonly random: () => number;
  readonly options: LiveOptions;
};
