import type { AlertRule } from '../../contract/alertRule.ts';
import type { ToldTargets } from '../alerts/ToldTargets.ts';
import type { AlertForecast } from '../../engine/live/alertDue.ts';

/** A forecast of a live series or of a request with ?series=, with what an alert says of it. */
export type SeriesForecast = AlertForecast & {
  readonly accountId: string;
  /** Id of the version. */
  readonly model: string;
  readonly lastPrice: number;
  /** Of its market, in place of the rules of the targets. */
  readonly rule?: AlertRule | undefined;
  /** What the targets were told of its market, kept with its state. */
  readonly told?: ToldTargets | undefined;
  /** Whether the caller named the threshold. */
  readonly ownThreshold: boolean;
  /** Median spread of the quotes of its window, basis points; null: it has none. */
  readonly costBps: number | null;
};

/** What came true after a forecast. */
type ForecastOutcome = {
  /** Whether the move was larger than the threshold. */
  readonly moved: boolean;
  readonly moveBps: number;
};

/** Gets forecasts and their outcomes as they become known. Never throws and never waits. */
export type ForecastEvents = {
  /** Whether a forecast may concern someone: if not, the others are not called for it. Cheap. */
  wants(forecast: Pick<SeriesForecast, 'accountId' | 'isMarked' | 'futureUs' | 'rule'>): boolean;
  made(forecast: SeriesForecast): void;
  settled(forecast: SeriesForecast, outcome: ForecastOutcome): void;
  /** Decides now which targets are told of those, and stores it. Never throws. */
  flush(): Promise<void>;
};
