import type { ForecastOptions } from '../../contract/forecastOptions.ts';
import type { Clock } from '../../core/Clock.ts';
import type { TickRequest } from '../../ticks/parseTickRequest.ts';
import type { FeatureBuilder } from '../features/FeatureBuilder.ts';
import type { WindowFacts, WindowRefusal } from '../features/WindowMeasures.ts';
import type { MemoryReading } from '../memory/memoryInputs.ts';
import type { OwnAnswer } from '../memory/memoryLine.ts';
import type { MemoryView } from '../memory/MemoryView.ts';
import type { RememberedForecast } from '../memory/SeriesMemory.ts';
import type { ServedModel } from '../model/ModelManifest.ts';
import type { RuleEvaluation } from '../rules/evaluateRules.ts';
import type { MemoryAbsence } from './memoryAt.ts';
import type { Decision, Reason } from './nullReasons.ts';
import type { Outlook } from './outlook.ts';
import type { ThresholdCurve } from './thresholdCurve.ts';

/** The result for one threshold. Logits are log-odds; `total` is the sum baseline + network + memory + rules, in this order. */
export type WindowScore = Decision & {
  /** Log price. */
  readonly theta: number;
  readonly logit: {
    readonly baseline: number;
    readonly network: number;
    /** Only if a memory of the series was used. */
    readonly memory?: number;
    readonly rules: number;
    readonly total: number;
  };
  /** Null: bars have no head of the direction. */
  readonly probabilityUp: number | null;
  readonly rules: RuleEvaluation;
  readonly medianGapS: number;
  /** Log-odds from the default threshold to `theta`. */
  readonly curve: ThresholdCurve;
  /** Log-odds from the default threshold to the low and to the high end of the trained range; null: not wanted, of no use, or a row was refused. */
  readonly sides: readonly [low: ThresholdCurve | null, high: ThresholdCurve | null];
  /** What the memory of the series says at `theta`, or why it is not used; null: there is none. */
  readonly memory: MemoryReading | MemoryAbsence | null;
  /** Weights that the series has learned, and their part of the log-odds; null: they are not used. */
  readonly own: OwnAnswer | null;
  /** What the memory of the series remembers of this forecast; null: nothing. */
  readonly remembered: Omit<RememberedForecast, 'horizonMs'> | null;
  /** Ranges and chance; null: not wanted. */
  readonly outlook: Outlook | null;
  /** Empty: an opportunity is identified. */
  readonly reasons: readonly Reason[];
  readonly networkMs: number;
  readonly rulesMs: number;
  readonly featuresMs: number;
};

/** A window and its result. */
export type ScoredWindow = {
  /** The refusal of a window without features. */
  readonly window: WindowFacts | WindowRefusal;
  /** Context columns at the default threshold; null: they were not computed. */
  readonly context: Float32Array | null;
  readonly score: WindowScore | WindowRefusal;
};

/** What is asked of a window. */
export type ScoringQuestion = {
  readonly options: ForecastOptions;
  /** The threshold of the options, log price; null: the default of the window. */
  readonly theta: number | null;
  /** In place of that of the options. */
  readonly cut?: Decision['wantedCut'];
  /** The memory of the series at the last tick; absent: the request stands alone. */
  readonly memory?: MemoryView | MemoryAbsence | undefined;
};

export type ScoringInput = ScoringQuestion & {
  /** Works on one window at a time: it is used only until the first `await`. */
  readonly features: FeatureBuilder;
  readonly clock: Clock;
  readonly model: Pick<ServedModel, 'id' | 'manifest' | 'memory' | 'bars'>;
  readonly request: TickRequest;
};

/** The cut that the caller wants, and the one that decides: without a wish, that of the head. */
export function cutOf({ cut, options }: Pick<ScoringQuestion, 'cut' | 'options'>, head: number | null): Omit<Decision, 'probability'> {
  const wantedCut = cut ?? options.minProbability;
  return { wantedCut, cut: wantedCut === 'unknown' ? null : (wantedCut ?? head) };
}
