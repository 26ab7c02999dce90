import { ASK_ID, CLIENT_MESSAGES, type ClientMessage, type ClientMessageType, type ServerMessage } from '../../contract/live.ts';
import { LIVE_MESSAGE_TICKS } from '../../contract/liveTicks.ts';
import { problemOf } from '../../contract/problem.ts';
import { fieldsOf, optionsOf } from '../../contract/readOptions.ts';
import { LONGEST_MS, parseBars, parseDurationMs } from '../../contract/duration.ts';
import { statusOf } from '../../contract/forecastDetail.ts';
import type { BarTime } from '../../core/barTime.ts';
import { US_PER_MS } from '../../core/units.ts';
import { isPeriod } from '../../ticks/placeBars.ts';
import { fieldProblem, invalidRequest, quoteValue, type ServiceError } from '../../core/ServiceError.ts';
import { parseTimestampUs, timestampFault, writeTimestamp } from '../../ticks/timestamps.ts';
import { isBelowMedian } from '../../ticks/tickColumns.ts';
import type { LiveWindow } from '../../ticks/TickWindow.ts';
import type { Touches } from '../features/Touches.ts';
import type { TickForecast } from '../forecast/Forecaster.ts';
import { LEAST_TICKS, MOST_TICKS, type ForecastPlan, type LiveOutcome, type LiveSeries } from './LiveSeries.ts';
import { comparisonFields, conclude, hitIntervalOf, type Tally } from './score.ts';

/** A forecast that was computed: its number, its window and its future timestamp. */
export type Computed = {
  readonly id: string;
  readonly n: number;
  readonly window: LiveWindow;
  readonly futureUs: number;
  readonly forecast: TickForecast;
  /** Why the timestamps of its bars are doubted. */
  readonly doubt?: string | undefined;
};

export function forecastMessage(series: string, { id, n, window, futureUs, forecast, doubt }: Computed): ServerMessage<'forecast'> {
  const { mark, summary, outlook, detail } = forecast;
  const lastUs = window.timesUs.at(-1)!;
  const notes: NonNullable<ServerMessage<'forecast'>['notes']> = [
    ...(isBelowSpread(summary.minMoveBps, window) ? (['threshold_below_cost'] as const) : []),
    ...(forecast.isSeen?.() ? (['seen_in_training'] as const) : []),
    ...(doubt === undefined ? [] : (['bar_time_doubtful'] as const)),
  ];
  const message: ServerMessage<'forecast'> = {
    type: 'forecast',
    series,
    id,
    n,
    last_tick: writeTimestamp(lastUs),
    timestamp: writeTimestamp(lastUs),
    future: writeTimestamp(futureUs),
    trend_identified: mark,
    status: statusOf(summary.reasons[0] ?? null),
    probability: summary.probability,
    decision_threshold: summary.decisionThreshold,
    min_move_bps: summary.minMoveBps,
    ...(notes.length === 0 ? {} : { notes }),
    reasons: [...summary.reasons],
    model: summary.model,
    ...outlook,
  };
  return detail === null ? message : { ...message, detail };
}

function isBelowSpread(moveBps: number | null, { spreadsBps }: LiveWindow): boolean {
  return moveBps !== null && spreadsBps !== undefined && isBelowMedian(moveBps, spreadsBps);
}

/** What the clock says against the timestamps of the bars of a series. */
export const doubtMessage = (series: string, detail: string): ServerMessage<'status'> => ({
  type: 'status',
  code: 'bar_time_doubtful',
  series,
  detail,
});

export function outcomeMessage(series: string, { plan, n, moved, moveBps, touches, reason }: LiveOutcome): ServerMessage<'outcome'> {
  const reached = touches && { touched: touches.touched, ...(plan.options.first === true ? { first: firstOf(touches, plan) } : {}) };
  return { type: 'outcome', series, id: plan.id, n, moved, move_bps: moveBps, ...reached, ...(reason === null ? {} : { reason }) };
}

/** The price that was reached first. */
const firstOf = ({ first }: Touches, { options }: ForecastPlan): number | 'unclear' | null =>
  typeof first === 'number' ? options.touch![first] : first;

/** The score of one forecast id for the wire. */
export function scoreOf(id: string, since: string | null, tally: Tally): ServerMessage<'score'>['scores'][number] {
  const { forecasts, outcomes, unscored, marks, hits, moved } = tally;
  return {
    ...{
      id,
      since,
      forecasts,
      outcomes,
      unscored,
      marks,
      hits,
      hit_interval: hitIntervalOf(tally),
      base_rate: outcomes === 0 ? null : moved / outcomes,
    },
    ...comparisonFields(conclude(tally)),
  };
}

/** The score of a series. That of a plan covers the ticks after its `resume_after`: forecasts up to it were those of another connection. */
export const scoreMessage = ({ name, since, series }: Scored): ServerMessage<'score'> => ({
  ...{ type: 'score', series: name },
  scores: series.scores().map(({ plan, tally }) => scoreOf(plan.id, sinceOf(since, plan.resumeAfterUs), tally)),
});
type Scored = { readonly name: string; readonly since: string | null; readonly series: Pick<LiveSeries, 'scores'> };

function sinceOf(since: string | null, resumeAfterUs: number | undefined): string | null {
  return since === null || resumeAfterUs === undefined || resumeAfterUs <= parseTimestampUs(since) ? since : writeTimestamp(resumeAfterUs);
}

/** Milliseconds; throws ServiceError `request.invalid` above a day, and for a number of bars if their period is not known. */
export function durationOf(text: string, pointer: string, barPeriodMs?: number): number {
  const bars = parseBars(text);
  if (bars !== undefined && barPeriodMs === undefined) {
    const detail = `The horizon is ${quoteValue(text)}; a horizon in bars needs a series of bars whose message open names bars.period.`;
    throw invalidRequest([fieldProblem(pointer, 'field.malformed', detail)]);
  }
  const ms = bars === undefined ? parseDurationMs(text) : bars * barPeriodMs!;
  if (ms === undefined || ms > LONGEST_MS)
    throw invalidRequest([fieldProblem(pointer, 'field.out_of_range', `The duration is ${quoteValue(text)}; it must be at most one day.`)]);
  return ms;
}

/** The bars of a series that the message `open` names; undefined: it is one of ticks. Throws ServiceError `request.invalid`. */
export function barsOf({ bars }: ClientMessage<'open'>): OpenBars | undefined {
  if (bars === undefined) return undefined;
  const { bar_time: barTime, period } = bars;
  const periodMs = period === undefined ? undefined : durationOf(period, '/bars/period');
  if (periodMs === undefined || isPeriod(periodMs * US_PER_MS)) return { barTime, periodMs };
  const detail = `bars.period is ${quoteValue(period)}; it must be from 1s to 1d.`;
  throw invalidRequest([fieldProblem('/bars/period', 'bars.period_out_of_range', detail)]);
}

export type OpenBars = { readonly barTime: BarTime; readonly periodMs: number | undefined };

function resumeUsOf(text: string | undefined, index: number): number | undefined {
  const us = text === undefined ? 0 : parseTimestampUs(text);
  if (us >= 0) return text === undefined ? undefined : us;
  const { code, rule } = timestampFault(us);
  const detail = `forecasts[${index}].resume_after is ${quoteValue(text)}; ${rule}.`;
  throw invalidRequest([fieldProblem(`/forecasts/${index}/resume_after`, code, detail)]);
}

/** Throws ServiceError `request.invalid` for durations above a day, repeated ids, two cuts and wrong timestamps. `barPeriodMs`: if it is known. */
export function plansOf(forecasts: ClientMessage<'open'>['forecasts'], barPeriodMs?: number): ForecastPlan[] {
  const ids = new Set<string>([ASK_ID]);
  return forecasts.map((forecast, i) => {
    const { horizon, every, ticks, id = horizon, resume_after: resumeAfter } = forecast;
    const horizonMs = durationOf(horizon, `/forecasts/${i}/horizon`, barPeriodMs);
    const everyMs = every === 'tick' ? every : durationOf(every, `/forecasts/${i}/every`);
    const options = optionsOf(forecast, `/forecasts/${i}`);
    if (ids.has(id)) {
      const detail = id === ASK_ID ? `The id ${ASK_ID} is that of asked forecasts.` : `The id ${quoteValue(id)} occurs twice.`;
      throw invalidRequest([fieldProblem(`/forecasts/${i}/id`, 'forecast.id_repeated', detail)]);
    }
    ids.add(id);
    return { id, horizonMs, everyMs, options, ticks, resumeAfterUs: resumeUsOf(resumeAfter, i) };
  });
}

export type DeskLimits = {
  readonly seriesPerConnection: number;
  readonly forecastsPerSeries: number;
  readonly pendingOutcomes: number;
};

/** `plans`: of the forecasts of the message `open`, in its order. */
export function openedMessage(
  message: ClientMessage<'open'>,
  plans: readonly ForecastPlan[],
  { seriesPerConnection, forecastsPerSeries, pendingOutcomes }: DeskLimits,
): ServerMessage<'opened'> {
  const { series, forecasts, model } = message;
  const bars = barsOf(message);
  return {
    ...{ type: 'opened', series, model: model ?? null },
    ...(bars === undefined ? {} : { bars: { bar_time: bars.barTime, bar_period_ms: bars.periodMs ?? null } }),
    forecasts: forecasts.map(({ horizon, every }, i) => {
      const { id, options } = plans[i];
      return { id, horizon, every, min_move_bps: options.minMoveBps ?? null, ...fieldsOf('live opened', options) };
    }),
    limits: {
      ...{ series_per_connection: seriesPerConnection, forecasts_per_series: forecastsPerSeries, pending_outcomes: pendingOutcomes },
      ...{ ticks_per_message: LIVE_MESSAGE_TICKS, ticks_kept: MOST_TICKS, least_ticks: LEAST_TICKS },
    },
  };
}

/** The type of a client message; undefined if it has none that is known. */
export function typeOf(message: unknown): ClientMessageType | undefined {
  const type = typeof message === 'object' && message !== null ? (message as { type?: unknown }).type : undefined;
  return typeof type === 'string' && Object.hasOwn(CLIENT_MESSAGES, type) ? (type as ClientMessageType) : undefined;
}

/** Why a message without a known type is refused. */
export function unknownType(message: unknown): ServiceError {
  if (typeof message !== 'object' || message === null || Array.isArray(message))
    return invalidRequest([fieldProblem('', 'body.not_object', 'A message must be a JSON object.')]);
  const { type } = message as { type?: unknown };
  if (type === undefined) return invalidRequest([fieldProblem('/type', 'field.missing', 'type is required; it is missing.')]);
  const detail = `type is ${quoteValue(type)}; it must be one of ${Object.keys(CLIENT_MESSAGES).join(', ')}.`;
  return invalidRequest([fieldProblem('/type', 'message.type_unknown', detail)]);
}

/** The problem of a refused message as a message. */
export function errorMessage(error: ServiceError, requestId: string, message: unknown): ServerMessage<'error'> {
  const { errors, ...problem } = problemOf(error, requestId);
  const { series } = (message ?? {}) as { series?: unknown };
  const isName = typeof series === 'string' && /^[A-Za-z0-9._:-]{1,64}$/.test(series);
  return {
    ...problem,
    // Replaces the URN of the problem.
    ...{ type: 'error', message: typeOf(message) ?? null },
    ...(isName ? { series } : {}),
    ...(errors === undefined ? {} : { errors: [...errors] }),
  };
}
