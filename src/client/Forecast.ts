import type { CallOptions } from './Transport.ts';
import type { ForecastDetail, TickAnswer } from './wire.ts';

export type ForecastOptions = CallOptions & {
  /** true: the answer carries its proof in `detail`. */
  readonly detail?: boolean | undefined;
  /** Your own cost in basis points (10,000 x log return): replaces the threshold of the request. */
  readonly minMoveBps?: number | undefined;
  /** Id of a loaded model version; the promoted one where absent. */
  readonly model?: string | undefined;
  /** true: `serverTiming` says the milliseconds of each stage. */
  readonly timing?: boolean | undefined;
};

/** What was answered for the future timestamp. */
export type Forecast = {
  /** The future timestamp, as it was sent. */
  readonly timestamp: string;
  /** 1: a trade opportunity is identified; null: none is. */
  readonly trendIdentified: 1 | null;
  /** With `detail: true`. */
  readonly detail: ForecastDetail | undefined;
  /** The answer as it came, one entry for each submitted timestamp. */
  readonly answer: TickAnswer;
  /** undefined where a browser may not read the header. */
  readonly requestId: string | undefined;
  /** The header `Server-Timing`, with `timing: true`. */
  readonly serverTiming: string | undefined;
};

/** The query string, with its question mark, of options that are given; else empty. */
export function forecastQuery({ detail, minMoveBps, model, timing }: ForecastOptions): string {
  const query = new Array<string>();
  if (detail === true) query.push('detail=full');
  if (minMoveBps !== undefined) query.push(`min_move_bps=${encodeURIComponent(String(minMoveBps))}`);
  if (model !== undefined) query.push(`model=${encodeURIComponent(model)}`);
  if (timing === true) query.push('timing=server');
  return query.length === 0 ? '' : `?${query.join('&')}`;
}

export function forecastOf(body: { readonly Timestamp: readonly string[] }, answer: TickAnswer, headers: Headers): Forecast {
  const timestamp = body.Timestamp.at(-1) ?? '';
  const last = answer[timestamp];
  return {
    timestamp,
    trendIdentified: last?.trend_identified ?? null,
    detail: last?.detail,
    answer,
    requestId: headers.get('x-request-id') ?? undefined,
    serverTiming: headers.get('server-timing') ?? undefined,
  };
}
