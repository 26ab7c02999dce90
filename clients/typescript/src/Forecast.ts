import { UnexpectedAnswerError } from './errors.ts';
import { QUERY_NAMES, type RequestOptions } from './options.ts';
import type { CallOptions } from './Transport.ts';
import type { ChanceAbove, ForecastDetail, HorizonsAnswer, LastAnswer, RangeBand, TickAnswer, Touch } from './wire.ts';

export type ForecastOptions = CallOptions &
  RequestOptions & {
    /** true: `answer` has the future timestamp alone. */
    readonly lastOnly?: boolean | undefined;
  };

/** Options of `forecastHorizons`. */
export type HorizonOptions = CallOptions &
  Omit<RequestOptions, 'minMoveBps' | 'timing'> & {
    /** 1 to 8 different durations from the last tick, a day at most: `10s`, `5m`. */
    readonly horizons?: readonly string[] | undefined;
    /** Of bars, in place of `horizons`: 1 to 8 different numbers of bars. */
    readonly horizonBars?: readonly number[] | undefined;
    /** Your own costs in basis points, 1 to 8 different ones; the default threshold of each window where absent. */
    readonly minMovesBps?: readonly (number | 'cost')[] | undefined;
  };

/** The answer for the future timestamp, with names as on the wire. */
export type Forecast = {
  /** The future timestamp, as it was sent. */
  readonly timestamp: string;
  /** 1: a trade opportunity is identified; null: none is. */
  readonly trend_identified: 1 | null;
  /** none: the probability is below the decision threshold; abstained: any other reason holds. undefined: an earlier service does not say it. */
  readonly status: LastAnswer['status'] | undefined;
  /** The first reason of a null; null: a trade opportunity is identified. */
  readonly reason: LastAnswer['reason'] | undefined;
  /** Null: there is none. */
  readonly probability: number | null | undefined;
  /** Smallest probability that is marked; null: there is none. */
  readonly decision_threshold: number | null | undefined;
  /** The threshold of this forecast in basis points; null: it could not be computed. */
  readonly min_move_bps: number | null | undefined;
  /** With `range`: one for each level, in the order sent. */
  readonly range: readonly RangeBand[] | undefined;
  /** With `above`. */
  readonly above: ChanceAbove | undefined;
  /** With `touch`. */
  readonly touch: Touch | undefined;
  /** With `detail: true`. */
  readonly detail: ForecastDetail | undefined;
  /** One entry for each submitted timestamp; with `lastOnly: true`, that of the future one alone. */
  readonly answer: TickAnswer;
  /** undefined where a browser may not read the header. */
  readonly request_id: string | undefined;
  /** The header `Server-Timing`, with `timing: true`. */
  readonly server_timing: string | undefined;
};

/** The query string, with its question mark, of a forecast: its answer is that of the future timestamp, with what most callers look for. */
export const forecastQuery = (options: ForecastOptions): string => `?${['answer=summary', ...queryOf(options)].join('&')}`;

const NAMES = Object.entries(QUERY_NAMES) as [keyof RequestOptions, string][];

/** The parameters of a query, encoded. */
export function queryOf(options: RequestOptions): string[] {
  return NAMES.flatMap(([key, name]) => {
    const value = options[key];
    if (value === undefined || name.includes('=')) return value === true ? [name] : [];
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    return [`${name}=${values.map((each) => encodeURIComponent(String(each))).join(',')}`];
  });
}

/** Options as the fields of a message. */
export const fieldsOf = <K extends keyof RequestOptions>(keys: readonly K[], options: Pick<RequestOptions, K>): Record<string, unknown> =>
  Object.fromEntries(
    keys.map((key) => {
      const [name, word] = QUERY_NAMES[key].split('=') as [string, string?];
      return [name, word === undefined ? options[key] : options[key] === true ? word : undefined];
    }),
  );

/** The query string, with its question mark. @throws RangeError unless the horizons are named in one of both ways */
export function horizonsQuery({ horizons, horizonBars, minMovesBps, ...rest }: HorizonOptions): string {
  if ((horizons === undefined) === (horizonBars === undefined))
    throw new RangeError('name horizons, such as ["5m"], or of bars horizonBars, such as [3]');
  const query = [
    horizons === undefined ? `horizon_bars=${horizonBars!.join(',')}` : `horizons=${horizons.map(encodeURIComponent).join(',')}`,
  ];
  if (minMovesBps !== undefined) query.push(`min_move_bps=${minMovesBps.map((bps) => encodeURIComponent(String(bps))).join(',')}`);
  return `?${[...query, ...queryOf(rest)].join('&')}`;
}

/** Whether it is that of the future timestamp alone: the full one has objects only. */
const isLast = (answer: TickAnswer | LastAnswer): answer is LastAnswer => typeof (answer as LastAnswer | null)?.status === 'string';

/** `lastOnly`: its `answer` has the future timestamp alone. @throws UnexpectedAnswerError for an answer without the entry of the future timestamp */
export function forecastOf(
  body: { readonly Timestamp: readonly (string | number)[] },
  received: TickAnswer | LastAnswer,
  headers: Headers,
  lastOnly = false,
): Forecast {
  const timestamp = String(body.Timestamp.at(-1) ?? '');
  const found = isLast(received) ? partsOf(received) : { answer: received, ...EARLIER };
  const last = (found.answer as TickAnswer | null)?.[timestamp];
  // An answer without the entry must not look like a null.
  if (!isEntry(last) || (found.status !== undefined && !agrees(found.status, last)))
    throw new UnexpectedAnswerError(200, JSON.stringify(received));
  const opportunity = last.detail?.opportunity;
  return {
    timestamp,
    trend_identified: last.trend_identified,
    status: found.status ?? last.detail?.status,
    reason: found.status === undefined && last.detail !== undefined ? (last.detail.reasons[0]?.code ?? null) : found.reason,
    probability: found.probability ?? opportunity?.probability,
    decision_threshold: found.decision_threshold ?? opportunity?.decision_threshold,
    min_move_bps: found.min_move_bps ?? opportunity?.min_move_bps,
    range: last.range,
    above: last.above,
    touch: last.touch,
    detail: last.detail,
    answer: lastOnly || !isLast(received) ? found.answer : { ...entriesBefore(body.Timestamp), ...found.answer },
    request_id: headers.get('x-request-id') ?? undefined,
    server_timing: headers.get('server-timing') ?? undefined,
  };
}

/** The full answer of a service that knows no summary. */
const EARLIER = { status: undefined, reason: undefined, probability: undefined, decision_threshold: undefined, min_move_bps: undefined };

/** Entries of observed ticks are null. */
const entriesBefore = (timestamps: readonly (string | number)[]): TickAnswer =>
  Object.fromEntries(timestamps.slice(0, -1).map((stamp) => [String(stamp), { trend_identified: null }]));

type Entry = TickAnswer[string];

const isEntry = (value: unknown): value is Entry => {
  const trend = (value as Partial<Entry> | null | undefined)?.trend_identified;
  return trend === 1 || trend === null;
};

const agrees = (status: unknown, { trend_identified: trend }: Pick<Entry, 'trend_identified'>): boolean =>
  trend === 1 ? status === 'identified' : status === 'none' || status === 'abstained';

export const horizonCount = ({
  horizons,
  horizonBars,
  minMovesBps,
}: Pick<HorizonOptions, 'horizons' | 'horizonBars' | 'minMovesBps'>): number =>
  (horizons ?? horizonBars ?? []).length * (minMovesBps?.length ?? 1);

/** The answer of `?horizons=`. @throws UnexpectedAnswerError where a forecast is missing */
export function checkedHorizons(answer: HorizonsAnswer, count: number): HorizonsAnswer {
  const forecasts: unknown = answer.forecasts;
  const isWhole = Array.isArray(forecasts) && forecasts.length === count;
  if (isWhole && answer.forecasts.every((each) => isEntry(each) && agrees(each.status, each))) return answer;
  throw new UnexpectedAnswerError(200, JSON.stringify(answer));
}

function partsOf({ timestamp, status, reason, probability, decision_threshold, min_move_bps, ...entry }: LastAnswer) {
  return { status, reason, probability, decision_threshold, min_move_bps, answer: { [timestamp]: entry } };
}
