import type { OptionsOfAll, OptionsOfOne } from './options.ts';
import type { Bar, BarTime } from '../../typescript/src/barBody.ts';
import type { DeepReadonly, Tick } from '../../typescript/src/tickBody.ts';
import type { ForecastDetail, LastAnswer, RangeBand, TickLists } from '../../typescript/src/wire.ts';

/** Ticks as arrays, for many of them: integer microseconds since 1970, UTC, in time order, and prices. `spreadsBps`: (ask - bid) / mid of each tick, NaN without. */
export type TickColumns = { readonly timesUs: Float64Array; readonly prices: Float64Array; readonly spreadsBps?: Float64Array };

/** Observed ticks in time order: one by one, as the lists of the API without the future entry, or as arrays. */
export type Ticks = readonly Tick[] | DeepReadonly<TickLists> | TickColumns;

/** Observed bars: objects, lists of ccxt, or the lists of the API without the future entry. */
export type Bars =
  | readonly Bar[]
  | {
      readonly Timestamp: readonly string[] | readonly number[];
      readonly Close: readonly number[];
      readonly Open?: readonly number[];
      readonly High?: readonly number[];
      readonly Low?: readonly number[];
    };

/** The files of a version's folder by name, as `models/<id>` has them: texts, or bytes. */
export type VersionFiles = Readonly<Record<string, string | Uint8Array>>;

export type EngineOptions = {
  /** The id of the shipped version, or the files of another one. Default: the shipped version. */
  readonly version?: string | VersionFiles;
};

export type ForecastOptions = OptionsOfAll & {
  /** How far ahead: `10s`, `60s`, `5m`, `1h`; of bars also `3bars`; one day at most. */
  readonly horizon: string;
  /** Required with bars: whether their timestamps are their beginnings (`open`) or their ends (`close`). */
  readonly barTime?: BarTime | undefined;
};

/** What earlier ticks and forecasts of one series said: sizes of moves and outcomes, no ticks. */
export type SeriesMemory = {
  /** Time of the first and of the last tick, milliseconds since 1970; NaN before the first. */
  readonly sinceMs: number;
  readonly lastMs: number;
  /** At most 24 kB, for `openMemory`. */
  save(): Uint8Array;
};

// prettier-ignore
export type WindowOptions = ForecastOptions & OptionsOfOne & {
  /** What earlier calls said of this series: the forecast uses it, and it learns from these ticks and the forecast. */
  readonly memory?: SeriesMemory | undefined;
  /** false: `detail.counterfactual` is null, which saves half of the time. */
  readonly counterfactual?: boolean | undefined;
};

/** The answer of `POST /auth/ti-tick?answer=last&detail=full`. */
export type Forecast = Omit<LastAnswer, 'detail'> & { readonly detail: ForecastDetail };

export type ReplayOptions = ForecastOptions & {
  /** Ticks or bars of each window, 199 to 3000. Default: the number that suits the horizon and the file. */
  readonly ticks?: number | undefined;
  /** Time from one window to the next. Default: the horizon plus one second, of bars the horizon; if it is shorter, outcomes overlap. */
  readonly every?: string | undefined;
  /** clock: windows end where a live series with this `every` forecasts, at the first tick of each interval of the clock. */
  readonly grid?: 'clock' | undefined;
  /** Only this many last windows. */
  readonly last?: number | undefined;
  /** off: each window stands alone. Default: the ticks and outcomes before it are used. */
  readonly memory?: 'off' | undefined;
};

export type LearnOptions = Omit<ReplayOptions, 'every' | 'grid' | 'last' | 'memory' | 'minProbability'> & {
  /** What earlier ticks of the series said; it learns on. Default: a new one. */
  readonly memory?: SeriesMemory | undefined;
};

/** One window of a replay, with the names of `tickmark replay --windows`. */
export type ReplayedWindow = {
  /** Time of its last tick, integer microseconds since 1970, UTC. */
  readonly timeUs: number;
  /** Price of its last tick. */
  readonly price: number;
  /** 1: a trade opportunity is identified; null: none is. */
  readonly trend_identified: 1 | null;
  /** Codes of the reasons of a null. */
  readonly reasons: readonly string[];
  /** Probability of a move above the threshold; null if the network was not run. */
  readonly probability: number | null;
  /** The same probability by the volatility baseline of the version. */
  readonly baseline_probability: number | null;
  /** The threshold; null if the window has none. */
  readonly min_move_bps: number | null;
  /** With `range`: one for each level. */
  readonly range?: readonly RangeBand[];
  /** Move from the entry to the last price within the horizon; null if unknown. */
  readonly move_bps: number | null;
  /** Whether the price moved more than the threshold; or why that is not known. */
  readonly outcome: 1 | 0 | 'data_ends' | 'session_gap' | 'level_changed' | 'no_threshold';
  /** Whether the version was trained on these ticks: on others its forecasts are less good. */
  readonly seen_in_training: boolean;
  /** Why the memory of the series was not used. */
  readonly memory_unused?: ForecastDetail['memory_unused'];
};

/** Makes forecasts where it is: nothing is sent, and no limit counts. Every method throws EngineError. */
export type Engine = {
  /** Id of the version. */
  readonly version: string;
  /** The rules of its answers. */
  readonly ruleset: ForecastDetail['ruleset'];
  /** The number of ticks that suits a horizon, with the memory of a series or without. */
  ticksFor(horizon: string, memory?: SeriesMemory): number;
  /** One forecast from all of these ticks or bars, 199 to 3000. */
  forecast(ticks: Ticks | Bars, options: WindowOptions): Promise<Forecast>;
  /** The memory of a series that has seen all of these ticks or bars, and the forecasts of their last 100 windows. */
  learn(ticks: Ticks | Bars, options: LearnOptions): Promise<SeriesMemory>;
  /** Number of windows that `replay` yields. */
  windowsOf(ticks: Ticks | Bars, options: ReplayOptions): number;
  /** Forecasts in time order, each from the ticks or bars up to it, with what came. Leave the loop to stop. */
  replay(ticks: Ticks | Bars, options: ReplayOptions): AsyncGenerator<ReplayedWindow, void>;
};
