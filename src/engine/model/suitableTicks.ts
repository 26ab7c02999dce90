import { bucketOf } from '../features/horizonBuckets.ts';
import { MIN_ENTRIES } from '../../core/units.ts';
import type { ModelManifest } from './ModelManifest.ts';

/** The number of ticks where a version names none. */
export const USUAL_TICKS = 500;

/** The number of ticks of a window that suits a horizon. With the memory of its series, more than 500 say nothing more (docs/adr/0083). */
export function suitableTicks({ heads }: Pick<ModelManifest, 'heads'>, horizonS: number, withMemory = false): number {
  const suited = heads[bucketOf(horizonS)]?.ticks ?? USUAL_TICKS;
  return withMemory ? Math.min(USUAL_TICKS, suited) : suited;
}

/** A window that is shorter than this part of the horizon is longer too, with the memory of the series: the shipped version is trained up to it. */
export const MOST_HORIZON_TO_WINDOW = 20;

/** Whether the usual number of ticks is too short a time, so that a window of a series has all ticks that are kept. */
export const isShortTime = (coversMs: number, horizonMs: number): boolean => horizonMs > MOST_HORIZON_TO_WINDOW * coversMs;

/** Bars of a window: more of them say nothing more. */
export const USUAL_BARS = 500;

/** The same for windows all over a file of `rows` bars, which are shorter if it has few. */
export const suitableBarsOfFile = (rows: number): number => (rows < 2 * USUAL_BARS ? MIN_ENTRIES - 1 : USUAL_BARS);

/** The same for windows all over a file of `rows` ticks: with less than twice as many, it has too few of them, and uses shorter ones. */
export function suitableTicksOfFile(manifest: Pick<ModelManifest, 'heads'>, horizonS: number, rows: number, withMemory = false): number {
  const suited = suitableTicks(manifest, horizonS, withMemory);
  if (rows >= 2 * suited) return suited;
  const fewer = Math.min(USUAL_TICKS, suited);
  return rows <= fewer ? MIN_ENTRIES - 1 : fewer;
}
