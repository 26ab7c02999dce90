import { HorizonMemory } from './HorizonMemory.ts';

/** Horizons whose moves are kept, seconds. A request uses the nearest one by ratio. */
export const MEMORY_HORIZONS_S = [5, 10, 30, 60, 120, 300, 900, 1800] as const;
/** The same for bars, from five periods on. */
const BAR_HORIZONS_S = [60, 120, 300, 600, 900, 1800, 3600, 7200] as const;
const LEAST_PERIODS = 5;

/** Of bars of this length; 0: of ticks. */
export const newHorizons = (periodMs: number): HorizonMemory[] =>
  periodMs === 0
    ? MEMORY_HORIZONS_S.map((seconds) => new HorizonMemory(seconds * 1000))
    : BAR_HORIZONS_S.filter((seconds, at) => at === BAR_HORIZONS_S.length - 1 || seconds * 1000 >= LEAST_PERIODS * periodMs).map(
        (seconds) => new HorizonMemory(seconds * 1000, true),
      );
