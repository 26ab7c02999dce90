import type { ClientMessage, ServerMessage } from '../../contract/live.ts';
import type { MemoryReason } from '../../contract/reasons.ts';
import type { TickRequest } from '../../ticks/parseTickRequest.ts';
import type { ForecastCall, TickForecast } from '../forecast/Forecaster.ts';
import type { SeriesMemory } from '../memory/SeriesMemory.ts';
import type { DeskLimits } from './liveMessages.ts';
import type { DueForecast, ForecastPlan, LiveOutcome, LiveSeries, OutcomeBudget, SeriesParts } from './LiveSeries.ts';
import type { RunningOwner } from './RunningForecasts.ts';
import type { SealableForecast } from './sealedLines.ts';
import type { Tally } from './score.ts';
import type { SeriesRates } from './SeriesRates.ts';

/** What a series learns, and where it is kept. */
export type DeskMemory = {
  readonly memory: SeriesMemory;
  /** Ticks are added. */
  changed?(): void;
  /** A forecast is remembered. */
  storeIfDue?(series: LiveSeries): void;
};
/** The memory of a series at its first tick, or why there is none. `periodMs`: of its bars; 0: ticks. */
type ReadMemory<M> = (periodMs: number) => M | MemoryReason | Promise<M | MemoryReason>;

export type NewSeries<M extends DeskMemory> = {
  readonly name: string;
  readonly plans: readonly ForecastPlan[];
  /** A loaded version; undefined: the default one. */
  readonly model?: string | undefined;
  readonly bars?: SeriesParts['bars'];
  /** Undefined: it is to have none. */
  readonly readMemory?: ReadMemory<M> | undefined;
};

/** A series of a desk. */
export type DeskSeries<M extends DeskMemory = DeskMemory> = NewSeries<M> & {
  readonly series: LiveSeries;
  memory: M | undefined;
  /** Why it has no memory; undefined: it has one, is to have none, or does not know the period of its bars yet. */
  memoryUnused: MemoryReason | undefined;
  /** Its first tick; null before it. */
  since: string | null;
  /** One of its bars had a volume. */
  hasVolume: boolean;
  /** Its timestamps were doubted, which was told. */
  isDoubted: boolean;
  /** Its message `opened`; undefined: it was opened without a message. */
  opened: ServerMessage<'opened'> | undefined;
  /** Gives back what it was admitted with. */
  readonly free: () => void;
};

/** What the one who has a desk gives it, and is told by it: a connection of the service, the page, a command. */
export type DeskOwner<M extends DeskMemory = DeskMemory> = Omit<RunningOwner, 'onSkipped'> & {
  readonly limits: DeskLimits;
  readonly accountId: string;
  readonly rates: SeriesRates;
  send(message: ServerMessage): void;
  compute(request: TickRequest, call: ForecastCall): Promise<TickForecast>;
  /** Counts the outcomes that a new series waits for. */
  outcomes(): OutcomeBudget;
  /** Before a series opens. Throws ServiceError if it may not; else what gives back what it takes. */
  admit?(opened: NewSeries<M>): () => void;
  readMemory?(message: ClientMessage<'open'>): ReadMemory<M> | undefined;
  /** What the next tick has to wait for; undefined: nothing. */
  pace?(): Promise<void> | undefined;
  /** Whether what is sent is not read: forecasts are skipped then. */
  isSlow?(): boolean;
  /** Whether a future timestamp has passed already: its forecast is not made. Absent: all are. */
  isPast?(futureUs: number): boolean;
  onDue?(series: DeskSeries<M>): void;
  onForecast?(series: DeskSeries<M>, due: DueForecast, forecast: TickForecast): void;
  /** The price of the entry of a forecast is known. */
  onEntry?(series: DeskSeries<M>, plan: ForecastPlan, n: number, price: number): void;
  onOutcome?(series: DeskSeries<M>, outcome: LiveOutcome): void;
  /** `originUs`: the last tick of the forecast. */
  onTally?(series: DeskSeries<M>, plan: ForecastPlan, version: string, tally: Tally, originUs: number): void;
  /** A forecast that the owner may keep as proof, or with `moved` its outcome. */
  onSealable?(series: DeskSeries<M>, of: SealableForecast, moved?: boolean): void;
  /** A series is closed, and its score follows. */
  onClosed?(series: DeskSeries<M>): Promise<void> | void;
};

/** Messages that change a desk. */
export type DeskMessage = ClientMessage<'open' | 'ticks' | 'bars' | 'ask' | 'score' | 'close'>;
