import { ServiceError } from '../../core/ServiceError.ts';
import { LEAST_TICKS } from '../../engine/live/LiveSeries.ts';
import { barHorizonFault } from '../../engine/scoring/barPeriod.ts';
import type { TickSeries } from '../../ticks/TickSeries.ts';

/** Throws ServiceError `command.invalid` for a horizon under two periods of a file of bars or snapshots. */
export function refuseShortHorizon(path: string, { timesUs }: Pick<TickSeries, 'timesUs'>, horizonUs: number): void {
  const fault = barHorizonFault(timesUs, horizonUs);
  if (fault === null) return;
  throw new ServiceError('command.invalid', `${path}: ${fault}.`, { remedy: 'Give a longer horizon, or a file of ticks.' });
}

/** Collects the first ticks of each series of a feed, and refuses horizons that are too short for them before the first forecast. */
export class FeedHorizons {
  readonly #horizonsUs: readonly number[];
  readonly #first = new Map<string, number[]>();

  constructor(horizonsUs: readonly number[]) {
    this.#horizonsUs = horizonsUs;
  }

  /** Throws ServiceError `command.invalid` as `refuseShortHorizon` does. */
  check({ series, timesUs }: { readonly series: readonly string[]; readonly timesUs: readonly number[] }): void {
    for (const [i, name] of series.entries()) {
      let first = this.#first.get(name);
      if (first === undefined) this.#first.set(name, (first = []));
      if (first.length === LEAST_TICKS || first.push(timesUs[i]) < LEAST_TICKS) continue;
      for (const horizonUs of this.#horizonsUs) refuseShortHorizon(name, { timesUs: Float64Array.from(first) }, horizonUs);
    }
  }
}
