import type { Clock } from '../../core/Clock.ts';
import { US_PER_MS } from '../../core/units.ts';
import { bucketNameOf, type ForecastPlan } from '../../engine/live/LiveSeries.ts';
import type { Tally } from '../../engine/live/score.ts';
import { type SealableForecast, sealedLine } from '../../engine/live/sealedLines.ts';
import { bookingDay, type RecordKey, type TrackRecord } from './TrackRecord.ts';

/** Books the forecasts of the series of one account. */
export class SeriesRecord {
  readonly #accountId: string;
  readonly #record: () => TrackRecord;
  readonly #clock: Pick<Clock, 'nowMs'>;
  /** The last key of each plan of each series. */
  readonly #keys = new WeakMap<ForecastPlan, RecordKey>();

  constructor(accountId: string, record: () => TrackRecord, clock: Pick<Clock, 'nowMs'>) {
    this.#accountId = accountId;
    this.#record = record;
    this.#clock = clock;
  }

  /** `originUs`: the last tick of the forecast. */
  add(series: string, plan: ForecastPlan, model: string, tally: Tally, originUs: number): void {
    const day = bookingDay(originUs / US_PER_MS, this.#clock);
    let key = this.#keys.get(plan);
    if (key === undefined || key.model !== model || key.day !== day) {
      const ownThreshold = plan.options.minMoveBps !== undefined;
      key = { accountId: this.#accountId, series, model, bucket: bucketNameOf(plan.horizonMs), ownThreshold, day };
      this.#keys.set(plan, key);
    }
    this.#record().add(key, tally);
  }

  seal(series: string, of: SealableForecast, moved?: boolean): void {
    this.#record().sealed?.add(this.#accountId, sealedLine(series, of, moved));
  }
}
