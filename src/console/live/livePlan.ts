import type { OpenRequest } from '../../../clients/typescript/src/index.ts';
import { bpsText } from '../answer/describeAnswer.ts';
import { barHorizonFault } from '../../engine/scoring/barPeriod.ts';
import { barHorizonsS } from '../ticks/suitableCount.ts';
import { readLength } from '../ticks/readFuture.ts';
import { MS_PER_S, US_PER_MS, type TickSeries } from '../ticks/TickSeries.ts';
import { formatSpan } from '../ticks/timeText.ts';
import { CONE_LEVELS } from '../chart/Scene.ts';
import type { FormOptions } from '../FormOptions.ts';

/** The horizons of a stream, one for each head of the model; the id is the text on the wire. */
export const LIVE_HORIZONS = [
  { id: '10s', ms: 10_000, name: '10 s' },
  { id: '60s', ms: 60_000, name: '1 min' },
  { id: '5m', ms: 300_000, name: '5 min' },
  { id: '30m', ms: 1_800_000, name: '30 min' },
] as const;

/** Of bars, the horizons that they have. */
const BAR_HORIZONS = [...LIVE_HORIZONS, { id: '2h', ms: 7_200_000, name: '2 h' }] as const;
type Horizon = (typeof BAR_HORIZONS)[number];

/** Of ticks, those under two periods of snapshots are left out: their outcome is always "no move". */
export function horizonsFor({ timesUs, bars }: Pick<TickSeries, 'timesUs' | 'bars'>): readonly Horizon[] {
  if (bars !== undefined) {
    const horizonsS = barHorizonsS(bars.periodMs);
    return BAR_HORIZONS.filter(({ ms }) => horizonsS.includes(ms / MS_PER_S));
  }
  return LIVE_HORIZONS.filter(({ ms }) => barHorizonFault(timesUs, ms * US_PER_MS) === null);
}

export type RequestParts = {
  readonly options: FormOptions;
  /** Name of the series at the service. */
  readonly name: string;
  /** The version that answers; null: the default one. */
  readonly model: string | null;
  readonly everyS: number;
};

/** The options with the fraction of the forecasts that is marked, in place of the smallest probability; `rate`: as text, empty for none. */
export const withRate = ({ minProbability, ...options }: FormOptions, rate: string): FormOptions =>
  rate === '' ? { ...options, minProbability } : { ...options, markRate: Number(rate) };

/** What is asked of the engine or the service. */
export function liveRequest(parts: RequestParts, plans: readonly { readonly id: string }[], bars?: OpenRequest['bars']): OpenRequest {
  const forecasts = plans.map(({ id }) => ({
    ...{ id, horizon: id, every: `${parts.everyS}s`, ...parts.options, range: [...CONE_LEVELS] },
  }));
  return {
    series: parts.name,
    forecasts,
    ...(parts.model === null ? {} : { model: parts.model }),
    bars,
  };
}

/** `5 min` for `5m`. */
export function horizonName(id: string): string {
  const ms = readLength(id);
  return ms === null ? id : formatSpan(ms);
}

/** Stream seconds per second; Infinity: as fast as the service answers. */
export type Speed = number;

export const speedText = (speed: Speed): string => (speed === Infinity ? 'full speed' : `${speed}×`);

const SERIES = /^[A-Za-z0-9._:-]{1,64}$/;

/** `EURUSD-2024` for `EURUSD 2024.csv.gz`: a name that the service accepts. */
export function seriesNameOf(fileName: string): string {
  const stem = fileName.replace(/(?<=.)\..*$/, '');
  return stem.replaceAll(/[^A-Za-z0-9._:-]/g, '-').slice(0, 64) || 'ticks';
}

/** Why the text is no name of a series; null where it is one. */
export function seriesFault(name: string): string | null {
  if (SERIES.test(name)) return null;
  return 'Write 1 to 64 letters (A to Z), digits, dots, underscores, colons or hyphens.';
}

/** What a stream computes, in words. `isOfPage`: not by the service, if the page can. */
export function loadText({
  horizons,
  everyS,
  speed,
  minMoveBps,
  isOfPage,
}: {
  readonly horizons: number;
  readonly everyS: number;
  readonly speed: Speed;
  readonly minMoveBps: FormOptions['minMoveBps'];
  readonly isOfPage: boolean;
}): string {
  const own = minMoveBps === 'cost' ? 'the spread of each window as the threshold' : `your threshold of ${bpsText(minMoveBps ?? 0)}`;
  const threshold = minMoveBps === undefined ? 'the threshold of each window' : own;
  const perMinute = `${Math.round(((horizons * 60) / everyS) * speed).toLocaleString('en')} forecasts a minute`;
  const load = isOfPage
    ? `${speed === Infinity ? 'Forecasts as fast as they are computed' : perMinute}, in this page if it can: no limit counts.`
    : speed === Infinity
      ? 'Forecasts as fast as the service answers; over the limit of the key, the stream waits.'
      : `About ${perMinute} count on the limit of the key.`;
  return `${horizons === 1 ? 'One horizon' : `${horizons} horizons`}, with ${threshold}. ${load}`;
}
