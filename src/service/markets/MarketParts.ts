import type { Clock } from '../../core/Clock.ts';
import type { ForecastCall, TickForecast } from '../../engine/forecast/Forecaster.ts';
import type { SeriesRates } from '../../engine/live/SeriesRates.ts';
import type { TickRequest } from '../../ticks/parseTickRequest.ts';
import type { ForecastEvents } from '../live/ForecastEvents.ts';
import type { SeriesMemories } from '../live/SeriesMemories.ts';
import type { TrackRecord } from '../live/TrackRecord.ts';
import type { MarketStore } from './MarketStore.ts';

/** What all watched markets of a process use. */
export type MarketParts = {
  readonly store: MarketStore;
  readonly clock: Clock;
  readonly rates: SeriesRates;
  readonly events: ForecastEvents;
  readonly trackRecord: TrackRecord;
  /** Undefined: nothing of a series is kept. */
  readonly memories: Pick<SeriesMemories, 'read' | 'write'> | undefined;
  /** Whether the default version uses the memory of a series. */
  usesMemory(ofBars: boolean): boolean;
  compute(request: TickRequest, call: ForecastCall): Promise<TickForecast>;
  /** The code of a forecast that was not made. */
  onSkipped(thrown: unknown): string;
  onForecast(): void;
  /** A forecast, or its outcome, is to be written. */
  onRow(): void;
  /** Forecasts that are kept of a market. */
  readonly mostForecasts: number;
};
