import { BAR_PERIODS_MS, LEAST_BAR_PERIODS } from '../../engine/model/BarModel.ts';
import { MS_PER_S } from './TickSeries.ts';

/** Horizons that bars of this length have; none: there is no forecast from them. */
export const barHorizonsS = (periodMs: number): readonly number[] =>
  periodMs < BAR_PERIODS_MS[0] || periodMs > BAR_PERIODS_MS[1]
    ? []
    : [60, 300, 1800, 7200].filter((horizonS) => horizonS * MS_PER_S >= LEAST_BAR_PERIODS * periodMs);
