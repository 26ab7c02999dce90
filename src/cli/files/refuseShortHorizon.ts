import { ServiceError } from '../../core/ServiceError.ts';
import { barHorizonFault } from '../../engine/scoring/barPeriod.ts';
import type { TickSeries } from '../../ticks/TickSeries.ts';

/** Throws ServiceError `command.invalid` for a horizon under two periods of a file of bars or snapshots. */
export function refuseShortHorizon(path: string, { timesUs }: TickSeries, horizonUs: number): void {
  const fault = barHorizonFault(timesUs, horizonUs);
  if (fault === null) return;
  throw new ServiceError('command.invalid', `${path}: ${fault}.`, { remedy: 'Give a longer --horizon, or a file of ticks.' });
}
