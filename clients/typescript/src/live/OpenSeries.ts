import type { BarTime } from '../barBody.ts';
import { fieldsOf } from '../Forecast.ts';
import { LIVE_OPTIONS } from '../options.ts';
import type { BarBuffer } from './BarBuffer.ts';
import type { WebSocketLike } from './WebSocketLike.ts';
import type { LiveResume } from './LiveResume.ts';
import type { LiveForecast } from './messages.ts';
import type { TickBuffer } from './TickBuffer.ts';

export type OpenRequest = {
  /** Name of the series: 1 to 64 of A-Z a-z 0-9 . _ : - */
  readonly series: string;
  readonly forecasts: readonly LiveForecast[];
  /** Id of a loaded model version; the promoted one where absent. */
  readonly model?: string | undefined;
  /** true: the forecasts do not use what was kept of the series by its name, and nothing of this one is kept. */
  readonly memoryOff?: boolean | undefined;
  /**
   * The series is one of bars, which `pushBars` sends. `barTime`: whether their timestamps are their beginnings or their ends. `period`: how long a
   * bar is, such as `1m`; measured from the first bars where absent. A horizon in bars, such as `3bars`, needs it.
   */
  readonly bars?: { readonly barTime: BarTime; readonly period?: string | undefined } | undefined;
};

/** A series that is open, also while there is no connection. */
export type Series = {
  readonly request: OpenRequest;
  readonly ticks: TickBuffer | BarBuffer;
  /** To send after its ticks; the last one of a closed series is `close`. */
  readonly requests: string[];
  /** The connection on which it was opened last. */
  openedOn: WebSocketLike | undefined;
  /** Ticks left out that the reader was told of. */
  told: number;
};

/** The message that opens a series. */
export function openText({ request: { series, forecasts, model, memoryOff, bars } }: Series, resume: LiveResume): string {
  const plans = forecasts.map((plan) => {
    const { horizon, every, ticks: count, id } = plan;
    return { horizon, every, ...fieldsOf(LIVE_OPTIONS, plan), ticks: count, id, resume_after: resume.after(series, id ?? horizon) };
  });
  return JSON.stringify({
    type: 'open',
    series,
    forecasts: plans,
    model,
    bars: bars && { bar_time: bars.barTime, period: bars.period },
    memory: memoryOff === true ? 'off' : undefined,
  });
}
