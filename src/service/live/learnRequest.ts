import { firstAtOrAfterMs } from '../../engine/features/labelOrigin.ts';
import type { TickForecast } from '../../engine/forecast/Forecaster.ts';
import type { MemoryAbsence, originOf } from '../../engine/forecast/memoryAt.ts';
import type { MemoryView } from '../../engine/memory/MemoryView.ts';
import type { SeriesMemory } from '../../engine/memory/SeriesMemory.ts';
import type { TickRequest } from '../../ticks/parseTickRequest.ts';

/** What a memory learns of a request. */
export type Learned = Pick<TickRequest, 'series' | 'bars'>;

/** The last tick of a request, and a horizon from it. */
export type Origin = ReturnType<typeof originOf>;
export type Remembered = Pick<TickForecast, 'remembered'>;

/** Computes one forecast for each origin, with the view of its horizon at the last tick, or why there is none. */
export type ComputeForecasts<T> = (views: readonly (MemoryView | MemoryAbsence)[]) => Promise<readonly T[]>;

/** What a request said, and what came of its forecasts; undefined: they are not computed yet. */
export type Said = {
  readonly request: Learned;
  readonly origins: readonly Origin[];
  made: readonly Remembered[] | undefined;
  readonly answered: Promise<void>;
  readonly resolve: () => void;
};

/** What requests said, on top of what another process wrote. */
export function sayAgain(memory: SeriesMemory, said: readonly Said[]): SeriesMemory {
  for (const { request, origins, made } of said) {
    learn(memory, request);
    begin(memory, origins);
    if (made !== undefined) answer(memory, origins, made);
  }
  return memory;
}

/** Ticks of a request that the memory may learn: those that it does not know yet, or all where the series may begin again. */
export function newTicks({ lastMs }: SeriesMemory, { series: { timesUs } }: Learned): number {
  const isBefore = timesUs.at(-1)! / 1000 < lastMs;
  const from = Number.isNaN(lastMs) || isBefore ? 0 : firstAtOrAfterMs(timesUs, lastMs);
  return timesUs.length - from;
}

export function learn(memory: SeriesMemory, { series, bars }: Learned): void {
  if (bars?.barTime !== undefined) memory.readAs(bars.barTime);
  memory.join({ ...series, ranges: bars?.ranges });
}

/** One for each origin; those of one horizon share it. A memory that knows later ticks has none. */
export function viewsOf(memory: SeriesMemory, origins: readonly Origin[]): (MemoryView | MemoryAbsence)[] {
  const views = new Map<number, MemoryView>();
  return origins.map(({ originMs, horizonMs }) => {
    if (originMs !== memory.lastMs) return 'other_origin';
    const view = views.get(horizonMs) ?? memory.view(horizonMs);
    views.set(horizonMs, view);
    return view;
  });
}

/** Those at the last tick: of an earlier one, the memory knows the outcome before it knows the forecast. */
export function begin(memory: SeriesMemory, origins: readonly Origin[]): void {
  for (const { originMs, horizonMs } of origins) if (memory.lastMs === originMs) memory.begin(horizonMs);
}

/** What the forecasts that were begun became; those that nothing is remembered of failed. */
export function answer(memory: SeriesMemory, origins: readonly Origin[], forecasts: readonly Remembered[]): void {
  for (const [at, { originMs, horizonMs }] of origins.entries()) {
    const { remembered } = forecasts[at] ?? {};
    if (remembered !== undefined) memory.answer(originMs, horizonMs, remembered);
  }
  // No change where one was answered.
  for (const { originMs, horizonMs } of origins) memory.answer(originMs, horizonMs, null);
}
