import type { LIVE_OPTIONS, RequestOptions } from '../options.ts';
import type { DeepReadonly } from '../tickBody.ts';
import type * as wire from '../wire.ts';

/** What the service sends, about a series and at all, with the fields as they are on the wire. */
export type LiveSeriesMessage = DeepReadonly<wire.LiveSeriesMessage>;
export type LiveServerMessage = DeepReadonly<wire.LiveServerMessage>;
/** A copy of what a watched connection got. */
export type LiveCopy = DeepReadonly<wire.LiveCopy>;
/** The score of the forecasts of one id, in this connection. */
export type LiveScore = DeepReadonly<wire.LiveScore>;

/** One forecast that a series repeats. */
export type LiveForecast = Pick<RequestOptions, (typeof LIVE_OPTIONS)[number]> & {
  /** How far ahead: `10s`, `60s`, `5m`, `1h`; one day at most. */
  readonly horizon: string;
  /** At the first tick of each multiple of this duration on the clock of the ticks, or `tick`: at each tick. */
  readonly every: string;
  /** Last ticks that each forecast uses, 199 to 3000; where absent 500 up to 60 s or with memory, else 3000. */
  readonly ticks?: number | undefined;
  /** Name of the forecast; its horizon where absent. */
  readonly id?: string | undefined;
};

/** What a live connection gives: messages of the service, and what happens to the connection. */
export type LiveMessage =
  | LiveServerMessage
  | {
      readonly type: 'connected';
      /** Whether there was a connection before: its series are open again. */
      readonly is_resumed: boolean;
    }
  | {
      readonly type: 'disconnected';
      /** Close code of the WebSocket. */
      readonly code: number;
      readonly reason: string;
      /** Milliseconds until the next attempt. */
      readonly wait_ms: number;
    }
  | {
      readonly type: 'dropped';
      /** Messages that were dropped because they were not read in time. */
      readonly count: number;
    }
  | {
      readonly type: 'ticks_left_out';
      readonly series: string;
      /** Since the series was opened: ticks before the last one, ticks far ahead of it that no other one confirmed, and quotes whose bid is above
       * the ask. Told at 1, 2, 4, 8, … */
      readonly late: number;
      readonly ahead: number;
      readonly crossed: number;
    }
  | {
      /** The times of the series have begun again at an earlier one: it was closed at the service and opened again, and its numbers begin at 0. */
      readonly type: 'restarted';
      readonly series: string;
    };

/** Undefined: the text is no message of tickmark. */
export function messageOf(text: string): LiveServerMessage | undefined {
  try {
    const value = JSON.parse(text) as { readonly type?: unknown } | null;
    return typeof value?.type === 'string' ? (value as LiveServerMessage) : undefined;
  } catch {
    return undefined;
  }
}
