import { priceText } from '../answer/describeAnswer.ts';
import { levelOf, usualLevel } from '../chart/level.ts';
import { CONE_LEVELS, bandAround, type ChartMark, type Cone, msOf, type Scene } from '../chart/Scene.ts';
import { TIME_STEPS } from '../chart/TimeScale.ts';
import { readLength } from '../ticks/readFuture.ts';
import type { TickSeries } from '../ticks/TickSeries.ts';
import type { ForecastLog, ForecastMessage, LoggedForecast } from './ForecastLog.ts';
import { horizonName } from './livePlan.ts';
import type { Stream } from './Stream.ts';

const WIDEST = CONE_LEVELS.at(-1);
const USUAL_ID = '60s';
const USUAL_MS = 60_000;
const NO_OUTCOME = { status: 'unknown', why: 'file_ends' } as const;

const stampMs = (stamp: string): number => Date.parse(`${stamp.replace(' ', 'T')}Z`);

/** The horizon whose last forecast is drawn into the future, where none was chosen. */
export const shownHorizon = ({ plans }: Pick<Stream, 'plans'>, chosen: string | null): string =>
  chosen ?? (plans.find(({ id }) => id === USUAL_ID) ?? plans[0])?.id ?? '';

/** Ticks or bars that are shown of a stream. */
const FITTED = 400;

/** A round time that has the last ticks or bars: it stays the same for a while. */
function fittedSpanMs(series: TickSeries, position: number): number {
  const last = Math.max(0, position - 1);
  const spanMs = msOf(series, last) - msOf(series, Math.max(0, last - FITTED));
  return TIME_STEPS.find((step) => step >= Math.max(spanMs, USUAL_MS)) ?? spanMs;
}

/** A stream as a chart shows it. `chosen`: id of the forecasts that are drawn; null: marks of all of them. */
export function liveScene(stream: Stream, spanS: number | null, chosen: string | null): Scene {
  const { position, series, log, breaks = [] } = stream;
  const id = shownHorizon(stream, chosen);
  const forecast = log.latest(id);
  const answer = stream.level?.answerOf(id);
  const reach = answer?.message.touch?.reach;
  const cones = reach !== undefined ? reachOf(answer!.message, reach) : forecast === undefined ? [] : conesOf(series, forecast);
  return {
    ...{
      series,
      from: 0,
      last: position - 1,
      breaks,
      spanMs: spanS === null ? fittedSpanMs(series, position) : spanS * 1000,
      outcome: NO_OUTCOME,
    },
    horizonMs: readLength(id) ?? (cones[0] === undefined ? USUAL_MS : cones[0].toMs - cones[0].fromMs),
    minMoveBps: forecast?.message.min_move_bps ?? null,
    bandPrice: series.prices[forecast?.tick ?? position - 1],
    isMarked: forecast === undefined ? undefined : forecast.status === 'identified',
    cones: cones.toSorted((a, b) => b.level - a.level),
    isReach: reach !== undefined,
    level: levelOfStream(stream, id),
    earlier: (from, to) => ({ cones: pastCones(series, log, id, from, to), marks: marksOf(series, log, chosen, from, to) }),
  };
}

function conesOf(series: TickSeries, { message, tick, outcome }: LoggedForecast): Cone[] {
  const moved = outcome?.move_bps ?? null;
  const price = series.prices[tick];
  return (message.range ?? []).flatMap(({ level, move_bps: bps }) => {
    if (bps === null) return [];
    const [low, high] = bandAround(price, bps);
    const isHeld = moved === null ? null : Math.abs(moved) <= bps;
    return [{ level, fromMs: msOf(series, tick), toMs: stampMs(message.future), price, low, high, isHeld }];
  });
}

/** The price that is asked about, or that was not moved yet; undefined: another program asks, or prices stand still. */
export function askedPrice({ level, series, position }: Pick<Stream, 'level' | 'series' | 'position'>): number | null {
  if (level === undefined || position === 0) return null;
  return level.price ?? usualLevel({ prices: series.prices.subarray(Math.max(0, position - FITTED), position) });
}

function levelOfStream(stream: Stream, id: string): Scene['level'] {
  const price = askedPrice(stream);
  if (price === null) return undefined;
  const answer = stream.level!.answerOf(id);
  // Until the next answer, a level that moves by itself keeps the chance of the last one.
  const asked = stream.level!.price === null ? answer?.price : price;
  const found = answer?.message.touch?.levels.find((one) => one.price === asked);
  const write = priceText;
  if (found === undefined && stream.level!.price !== null)
    return { price, chance: '…', text: `${write(price)}, its chance comes with the next forecast` };
  return levelOf(asked ?? price, { within: horizonName(id), probability: found?.probability, write });
}

/** The ranges that all prices stay in. */
function reachOf(
  { last_tick: last, future }: ForecastMessage,
  reach: readonly { readonly level: number; readonly low: number | null; readonly high: number | null }[],
): Cone[] {
  return reach.flatMap(({ level, low, high }) =>
    low === null || high === null
      ? []
      : [{ level, fromMs: stampMs(last), toMs: stampMs(future), price: Math.sqrt(low * high), low, high, isHeld: null }],
  );
}

type Rows = Pick<ForecastLog, 'rows'>;

/** The widest range of earlier forecasts of a horizon whose outcome is known, newest first: those that do not overlap. */
function pastCones(series: TickSeries, { rows }: Rows, id: string, from: number, to: number): Cone[] {
  const cones: Cone[] = [];
  for (let at = rows.length - 1; at >= 0; at--) {
    const row = rows[at];
    if (row.message.id !== id || row.outcome === null || row.tick < from || row.tick > to) continue;
    const cone = conesOf(series, row).find(({ level, isHeld }) => level === WIDEST && isHeld !== null);
    if (cone !== undefined && cone.toMs <= (cones.at(-1)?.fromMs ?? Infinity)) cones.push(cone);
  }
  return cones;
}

/** Marks of one horizon or of all, newest first. */
function marksOf(series: TickSeries, { rows }: Rows, id: string | null, from: number, to: number): ChartMark[] {
  const marks: ChartMark[] = [];
  for (let at = rows.length - 1; at >= 0; at--) {
    const { message, status, tick, outcome } = rows[at];
    if (status !== 'identified' || tick < from || tick > to || (id !== null && message.id !== id)) continue;
    marks.push({
      ...{ fromMs: msOf(series, tick), toMs: stampMs(message.future), price: series.prices[tick] },
      ...{ name: horizonName(message.id), minMoveBps: message.min_move_bps },
      came: outcome === null ? null : (outcome.moved ?? undefined),
    });
  }
  return marks;
}

/** The last forecast of a horizon at or before a tick. */
export function forecastAt({ rows }: Rows, id: string, tick: number): LoggedForecast | undefined {
  for (let at = rows.length - 1; at >= 0; at--) if (rows[at].tick <= tick && rows[at].message.id === id) return rows[at];
  return undefined;
}
