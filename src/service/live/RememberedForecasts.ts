import type { Clock } from '../../core/Clock.ts';
import { BPS_PER_UNIT, MS_PER_SECOND, US_PER_MS } from '../../core/units.ts';
import { sessionGapS } from '../../engine/features/sessionGap.ts';
import { BUCKET_NAMES, bucketOf } from '../../engine/features/horizonBuckets.ts';
import { Touches } from '../../engine/features/Touches.ts';
import type { LiveWindow } from '../../ticks/TickWindow.ts';
import { followTouches, labelOrigin, lastAtOrBeforeMs, type OriginLabel } from '../../engine/features/labelOrigin.ts';
import type { RangeBand, TouchAnswer } from '../../contract/outlook.ts';
import type { TickForecast } from '../../engine/forecast/Forecaster.ts';
import type { TickRequest } from '../../ticks/parseTickRequest.ts';
import type { TickSeries } from '../../ticks/TickSeries.ts';
import { FairMap } from '../../core/FairMap.ts';
import type { ForecastEvents, SeriesForecast } from './ForecastEvents.ts';
import { addForecast, addOutcome, addRanges, addTouches, addUnscored, EMPTY_TALLY } from '../../engine/live/score.ts';
import { type BaselineProbabilities, baselinesAt, type TaughtBaselines, teach, UNTAUGHT } from '../../engine/scoring/SeriesBaselines.ts';
import { sealedLine, type SealableForecast } from '../../engine/live/sealedLines.ts';
import { MOST_MEMORIES } from './MemoryStore.ts';
import { otherKind } from './otherKind.ts';
import { bookingDay, type RecordKey, type TrackRecord } from './TrackRecord.ts';

/** Forecasts without outcome that are remembered of a series, series of an account, and forecasts of all: about 10 MB. */
const MOST_PER_SERIES = 64;
const MOST_SERIES = MOST_MEMORIES;
const MOST_FORECASTS = 50_000;

/** As it is sealed, without a copy: each forecast is sealed twice. */
type Remembered = SealableForecast & {
  readonly key: RecordKey;
  /** At the origin. */
  readonly baselines: BaselineProbabilities;
  /** What alerts say of it; absent: it concerns none. */
  readonly told?: SeriesForecast | undefined;
  readonly range: readonly RangeBand[] | undefined;
  /** The prices that it was asked about, with the last one of its window. */
  readonly touch:
    | (Pick<TouchAnswer, 'by' | 'levels'> & { readonly lastPrice: number; readonly lastSpreadBps: number | undefined })
    | undefined;
};

/** The ticks of a later request. */
export type LaterTicks = TickSeries & { readonly ranges?: LiveWindow['ranges']; readonly spreadsBps?: TickRequest['spreadsBps'] };

/** Of one series. */
type Known = {
  readonly open: readonly Remembered[];
  /** What outcomes have taught the baselines, by the text of a kind of forecast. */
  readonly taught: Readonly<Record<string, TaughtBaselines>>;
};

const NOTHING: Known = { open: [], taught: {} };
/** Kinds of forecasts of one series whose baselines are kept; the one that was not taught for longest is forgotten. */
const MOST_KINDS = 16;
const kindOf = ({ model, bucket, ownThreshold }: RecordKey): string => `${model} ${bucket} ${ownThreshold}`;

/** The account and the name of a series that a request belongs to. */
export type SeriesName = { readonly accountId: string; readonly series: string };

/**
 * Scores the forecasts of POST /auth/ti-tick?series=: remembers each one, and compares it with the ticks of a later request of its series
 * that reach beyond its future timestamp. What is forgotten or cannot be compared counts as unscored.
 */
export class RememberedForecasts {
  readonly #record: TrackRecord;
  readonly #clock: Pick<Clock, 'nowMs'>;
  readonly #events: ForecastEvents | undefined;
  /** By series; the weight of one is the number of its forecasts. */
  readonly #remembered: FairMap<Known>;

  constructor(record: TrackRecord, clock: Pick<Clock, 'nowMs'>, events?: ForecastEvents) {
    this.#record = record;
    this.#clock = clock;
    this.#events = events;
    this.#remembered = new FairMap(MOST_FORECASTS, { mostOfAccount: MOST_SERIES, onCut: ({ open }) => this.#forget(open) });
  }

  /** Throws ServiceError `request.invalid` if forecasts of the series wait for prices of another kind. `barPeriodMs`: 0 for ticks. */
  refuseOtherKind({ accountId, series }: SeriesName, barPeriodMs: number): void {
    const other = this.#remembered.get(accountId, series)?.open.find((one) => one.barPeriodMs !== barPeriodMs);
    if (other !== undefined) throw otherKind('?series', series, other.barPeriodMs, barPeriodMs);
  }

  /** Counts the outcomes that the ticks of a request show. */
  settle({ accountId, series }: SeriesName, ticks: LaterTicks): void {
    const known = this.#remembered.get(accountId, series);
    if (known === undefined) return;
    const lastMs = Math.floor((ticks.timesUs.at(-1) as number) / US_PER_MS);
    const open: Remembered[] = [];
    let { taught } = known;
    for (const one of known.open) {
      if (lastMs <= one.endMs) open.push(one);
      else {
        const moved = this.#conclude(one, ticks, overlapsOf(one, known.open));
        if (moved !== null) taught = withOutcome(taught, one, moved);
      }
    }
    this.#remembered.set(accountId, series, { open, taught }, open.length);
  }

  /** Counts a forecast and remembers it; one without a probability counts nothing, and a repeated request counts once. */
  remember(
    name: SeriesName,
    { series, futureUs: sentUs, bars, spreadBps, spreadsBps }: TickRequest,
    { mark, summary, outlook }: Pick<TickForecast, 'mark' | 'summary' | 'outlook'>,
    ownThreshold: boolean,
  ): void {
    const { model, probability, baselineProbability, minMoveBps, medianGapS } = summary;
    if (probability === null || baselineProbability === null || minMoveBps === null) return;
    const originMs = Math.floor((series.timesUs.at(-1) as number) / US_PER_MS);
    // As in the features: at least 1 ms.
    const endMs = Math.max(originMs + 1, Math.floor(sentUs / US_PER_MS));
    const bucket = BUCKET_NAMES[bucketOf((endMs - originMs) / MS_PER_SECOND)] as string;
    const key = { model, bucket, ownThreshold, day: bookingDay(originMs, this.#clock), ...name };
    const { open, taught } = this.#remembered.get(name.accountId, name.series) ?? NOTHING;
    const all = [...open];
    const isRepeated = all.some(
      (one) => one.originMs === originMs && one.endMs === endMs && one.minMoveBps === minMoveBps && one.key.model === model,
    );
    if (isRepeated) return;
    this.#record.add(key, addForecast(EMPTY_TALLY));
    const isMarked = mark === 1;
    const barPeriodMs = bars?.periodMs ?? 0;
    const futureUs = endMs * US_PER_MS;
    const isTold = this.#events?.wants({ accountId: name.accountId, isMarked, futureUs }) === true;
    const told = (): SeriesForecast => ({
      ...{ ...name, model, lastUs: originMs * US_PER_MS, futureUs, isMarked, probability, minMoveBps, ownThreshold },
      ...{ lastPrice: series.prices.at(-1)!, costBps: spreadBps?.() ?? null, touch: outlook?.touch?.levels },
    });
    const one: Remembered = {
      key,
      originMs,
      endMs,
      minMoveBps,
      probability,
      baselineProbability,
      isMarked,
      ownThreshold,
      model,
      pauseS: sessionGapS(medianGapS ?? 0, barPeriodMs),
      barPeriodMs,
      baselines: baselinesAt(taught[kindOf(key)] ?? UNTAUGHT, baselineProbability),
      told: isTold ? told() : undefined,
      range: outlook?.range,
      touch: outlook?.touch && {
        // Without bid and ask, the price reaches them.
        by: outlook.touch.by ?? 'mid',
        levels: outlook.touch.levels,
        lastPrice: series.prices.at(-1)!,
        lastSpreadBps: spreadsBps?.().at(-1),
      },
    };
    all.push(one);
    this.#record.sealed?.add(name.accountId, sealedLine(name.series, one));
    if (one.told !== undefined) this.#events?.made(one.told);
    if (all.length > MOST_PER_SERIES) this.#forget(all.splice(0, 1));
    this.#remembered.set(name.accountId, name.series, { open: all, taught }, all.length);
  }

  /** Those of a series, which another process goes on with. */
  handOver({ accountId, series }: SeriesName): readonly Known[] {
    const known = this.#remembered.take(accountId, series);
    return known === undefined ? [] : [known];
  }

  /** Those that `handOver` of another process returned. */
  takeOver({ accountId, series }: SeriesName, handed: readonly object[]): void {
    const both = [...(handed as readonly Known[]), this.#remembered.get(accountId, series) ?? NOTHING];
    const all = both.flatMap(({ open }) => open);
    if (all.length > MOST_PER_SERIES) this.#forget(all.splice(0, all.length - MOST_PER_SERIES));
    const taught = Object.assign({}, ...both.map((known) => known.taught)) as Known['taught'];
    if (handed.length > 0) this.#remembered.set(accountId, series, { open: all, taught }, all.length);
  }

  /** Accounts of which something is remembered. */
  accounts(): readonly string[] {
    return this.#remembered.accounts();
  }

  /** Forgets what belongs to an account that was deleted; its track record is gone too. */
  forget(accountId: string): void {
    this.#remembered.forget(accountId);
  }

  /** Counts all that is remembered as unscored. */
  close(): void {
    for (const { open } of this.#remembered.values()) this.#forget(open);
    this.#remembered.clear();
  }

  #forget(some: readonly Remembered[]): void {
    for (const { key } of some) this.#record.add(key, addUnscored(EMPTY_TALLY));
  }

  /** Returns whether the price moved; null: it is not known. */
  #conclude(one: Remembered, ticks: LaterTicks, overlaps: Overlaps): boolean | null {
    const { key, originMs, endMs, isMarked, probability, baselines, minMoveBps } = one;
    const origin = lastAtOrBeforeMs(ticks.timesUs, originMs);
    // Without the tick of the origin, ticks after it may be missing too.
    const isKnown = origin >= 0 && Math.floor((ticks.timesUs[origin] as number) / US_PER_MS) === originMs;
    const label = isKnown ? labelOrigin(ticks, origin, (endMs - originMs) / MS_PER_SECOND, one.pauseS, one.barPeriodMs) : undefined;
    if (label?.status !== 'ok') {
      this.#record.add(key, addUnscored(EMPTY_TALLY));
      return null;
    }
    const moveBps = label.move * BPS_PER_UNIT;
    const moved = Math.abs(moveBps) > minMoveBps;
    this.#record.sealed?.add(key.accountId, sealedLine(key.series, one, moved));
    const outcome = addOutcome(EMPTY_TALLY, { probability, baselines, isMarked, moved, ...overlaps });
    const ranged = addRanges(outcome, one.range, moveBps, overlaps.overlap);
    this.#record.add(
      key,
      one.touch === undefined ? ranged : addTouches(ranged, one.touch.levels, touchedOf(one.touch, ticks, label), overlaps.overlap),
    );
    if (one.told !== undefined) this.#events?.settled(one.told, { moved, moveBps });
    return moved;
  }
}

function touchedOf(
  { by, levels, lastPrice, lastSpreadBps }: NonNullable<Remembered['touch']>,
  ticks: LaterTicks,
  label: OriginLabel & { readonly status: 'ok' },
): boolean[] {
  const touches = new Touches(
    lastPrice,
    levels.map(({ price }) => price),
    by,
    lastSpreadBps,
  );
  followTouches({ ...ticks, spreadsBps: ticks.spreadsBps?.() }, label, touches);
  return touches.touched;
}

function withOutcome(
  taught: Known['taught'],
  { key, originMs, endMs, baselineProbability: version }: Remembered,
  moved: boolean,
): Known['taught'] {
  const { [kindOf(key)]: before = UNTAUGHT, ...others } = taught;
  const kept = Object.entries(others).slice(1 - MOST_KINDS);
  return { ...Object.fromEntries(kept), [kindOf(key)]: teach(before, { atMs: originMs, endMs, version }, moved) };
}

type Overlaps = { readonly overlap: number; readonly markOverlap: number };

/** With the forecasts of the same row whose horizons contain the end of this one, itself included; marks with the later marks among them. */
function overlapsOf(one: Remembered, all: readonly Remembered[]): Overlaps {
  const { bucket, model, ownThreshold } = one.key;
  const common = all.filter(
    ({ key, originMs, endMs }) =>
      originMs < one.endMs && endMs >= one.endMs && key.bucket === bucket && key.model === model && key.ownThreshold === ownThreshold,
  );
  const later = common.filter((other) => other.isMarked && other !== one);
  const parts = later.map(({ originMs, endMs }) => (one.endMs - Math.max(originMs, one.originMs)) / (endMs - originMs));
  return { overlap: common.length, markOverlap: 1 + 2 * parts.reduce((sum, part) => sum + part, 0) };
}
