import { statusOf, type ForecastDetail } from '../../contract/forecastDetail.ts';
import type { NullReason } from '../../contract/reasons.ts';
import type { ForecastOptions } from '../../contract/forecastOptions.ts';
import { checkOptions } from '../../contract/readOptions.ts';
import type { Clock } from '../../core/Clock.ts';
import { fieldProblem, invalidRequest, ServiceError, quoteValue } from '../../core/ServiceError.ts';
import { BPS_PER_UNIT, MAX_ENTRIES, US_PER_MS, US_PER_SECOND } from '../../core/units.ts';
import type { MemoryView } from '../memory/MemoryView.ts';
import type { RememberedForecast } from '../memory/SeriesMemory.ts';
import type { InferenceHost } from '../inference/InferenceHost.ts';
import { barHeadName, barHeadOf } from '../model/BarModel.ts';
import type { HeldModel, ModelCatalog, ServedModel } from '../model/ModelManifest.ts';
import { BUCKET_NAMES, bucketOf } from '../features/horizonBuckets.ts';
import { FeatureBuilder } from '../features/FeatureBuilder.ts';
import type { WindowFacts, WindowRefusal } from '../features/WindowMeasures.ts';
import type { RuleSet } from '../rules/RuleSet.ts';
import type { TickRequest } from '../../ticks/parseTickRequest.ts';
import { barRefusal, describeInput, refusalReason, publicReason } from './nullReasons.ts';
import { beyond } from './counterfactual.ts';
import type { InputMonitor } from './InputMonitor.ts';
import { scoreWindow, type ScoringDeps } from './scoreWindow.ts';
import { logOdds, sigmoid } from '../scoring/logOdds.ts';
import { noOutlook, type Outlook, wantsOutlook } from './outlook.ts';
import { describeMemory, type MemoryAbsence, originOf, shownWeights } from './memoryAt.ts';
import type { ScoredWindow, WindowScore } from './WindowScore.ts';

export type ForecasterDeps = {
  readonly host: InferenceHost;
  readonly models: ModelCatalog;
  readonly ruleSet: RuleSet;
  readonly clock: Clock;
  /** Records the inputs of each version. */
  readonly inputs?: InputMonitor;
};

/** Milliseconds. */
export type StageTimes = Readonly<Record<'parse' | 'features' | 'network' | 'rules', number>>;

/** What is asked of a window, and what the caller adds to it. */
export type ForecastCall = ForecastOptions & {
  /** The smallest probability that is marked, from the other forecasts of a series, for `markRate`; null: too few of them are known. */
  readonly markCut?: number | null;
  /** The memory of the series at the last tick, or why there is none. The caller adds the ticks and `remembered`. */
  readonly memory?: MemoryView | MemoryAbsence | undefined;
  /** Whether the explanation includes the counterfactual, which is what a few more rows of the network are for. Default true. */
  readonly counterfactual?: boolean | undefined;
  /** Whether the version was trained on these ticks, which the explanation then says. Default: by the sample of the version. A whole file shows it where a version has no sample. */
  readonly seenInTraining?: boolean;
  /** Deadline on the monotonic clock; without one there is no time limit, and the forecast counts as a sample, not as live input. */
  readonly deadlineMs?: number;
  /** Milliseconds that it took to read the ticks. */
  readonly parseMs?: number;
};

/** What scores a forecast later. Numbers are null if the window was refused before the network ran. */
export type ForecastSummary = {
  /** Id of the version. */
  readonly model: string;
  readonly probability: number | null;
  /** Probability by the volatility baseline of the version. */
  readonly baselineProbability: number | null;
  /** Smallest probability that is marked; also null if the head abstains. */
  readonly decisionThreshold: number | null;
  /** Threshold of the move; that of the caller exactly as it was sent. */
  readonly minMoveBps: number | null;
  /** Every reason of a null. */
  readonly reasons: readonly NullReason[];
  /** Of the window; decides which gap is a pause of the market. */
  readonly medianGapS: number | null;
};

export type TickForecast = {
  /** 1: an opportunity is identified. */
  readonly mark: 1 | null;
  /** The first reason of `detail.reasons`; null for a mark. */
  readonly reason: NullReason | null;
  readonly summary: ForecastSummary;
  /** Ranges and chances that are wanted, and why the memory of the series was not used; absent: none of both. */
  readonly outlook?: Outlook;
  /** What the memory of the series remembers of it; absent: nothing. */
  readonly remembered?: Omit<RememberedForecast, 'horizonMs'>;
  /** Whether the version was trained on the ticks; absent: it was not. A call, because most answers do not show it, and it reads all ticks. */
  isSeen?(): boolean;
  /** Null unless requested. */
  readonly detail: ForecastDetail | null;
  /** Null if the window was refused before the network ran. */
  readonly stagesMs: StageTimes | null;
};

type Asked = {
  readonly model: ServedModel;
  readonly call: ForecastCall;
  /** Basis points; null: the default threshold of the window. */
  readonly minMoveBps: number | null;
  readonly startMs: number;
};

/** Turns a request into a forecast: ticks, features, network, rules, decision. Requests may overlap. */
export class Forecaster {
  readonly #models: ModelCatalog;
  readonly #deps: ScoringDeps;
  readonly #inputs: InputMonitor | undefined;

  constructor({ host, models, ruleSet, clock, inputs }: ForecasterDeps) {
    this.#models = models;
    this.#inputs = inputs;
    this.#deps = { host, ruleSet, clock, features: new FeatureBuilder() };
  }

  /**
   * Computes a forecast from parsed ticks: 1 to 3000 of them, in time order, all before `futureUs`. Throws ServiceError `model.unknown`,
   * `request.invalid`, `inference.failed`, and the errors of the host.
   */
  async forecast(request: TickRequest, call: ForecastCall = {}): Promise<TickForecast> {
    const startMs = this.#deps.clock.monotonicMs();
    const { model, release } = this.#holdModel(call.model);
    try {
      checkOptions(call);
      checkFirst(call);
      const minMoveBps = moveOf(call.minMoveBps, request);
      checkTicks(request);
      return await this.#answer(request, { model, call, minMoveBps, startMs });
    } finally {
      release();
    }
  }

  /** The same version answers all of a request, even if another one is promoted in the meantime. */
  #holdModel(id: string | undefined): HeldModel {
    const wanted = id ?? this.#models.defaultId;
    const held = this.#models.hold(wanted);
    if (held === undefined) throw new ServiceError('model.unknown', `no model ${quoteValue(wanted)} is loaded`);
    return held;
  }

  async #answer(request: TickRequest, asked: Asked): Promise<TickForecast> {
    const { model, call, minMoveBps } = asked;
    const { detail: wantsTrace = false, counterfactual = true, deadlineMs, markCut, memory } = call;
    const scored = await scoreWindow(this.#deps, model, request, {
      options: call,
      theta: minMoveBps === null ? null : minMoveBps / BPS_PER_UNIT,
      cut: markCut === null ? 'unknown' : markCut,
      deadlineMs,
      wantsTrace,
      memory,
      wantsSides: wantsTrace && counterfactual,
    });
    const { context } = scored;
    if (deadlineMs !== undefined && context !== null && model.inputs !== undefined) this.#inputs?.add(model, context);
    const isSeen = (): boolean =>
      call.seenInTraining === true || model.seen?.includes(request.series, model.manifest.lineage.data) === true;
    const forecast = this.#forecastOf(asked, scored.score, isSeen);
    return wantsTrace ? { ...forecast, detail: { ...this.#detail(request, asked, scored, isSeen), ...forecast.outlook } } : forecast;
  }

  #forecastOf(asked: Asked, result: WindowScore | WindowRefusal, isSeen: () => boolean): TickForecast {
    const { call } = asked;
    const summary = summaryOf(asked, result);
    const unused = unusedOf(typeof result === 'string' ? call.memory : result.memory);
    if (typeof result === 'string') {
      const outlook = wantsOutlook(call) ? { ...noOutlook(call, result), ...unused } : unused;
      return { mark: null, reason: result, summary, detail: null, stagesMs: null, isSeen, ...(outlook === null ? {} : { outlook }) };
    }
    const { reasons, remembered, featuresMs, networkMs, rulesMs } = result;
    const outlook = result.outlook === null || unused === null ? (result.outlook ?? unused) : { ...result.outlook, ...unused };
    const stagesMs = { parse: call.parseMs ?? 0, features: featuresMs, network: networkMs, rules: rulesMs };
    const reason = reasons[0]?.code ?? null;
    return {
      mark: reason === null ? 1 : null,
      reason,
      summary,
      detail: null,
      stagesMs,
      isSeen,
      ...(outlook === null ? {} : { outlook }),
      ...(remembered === null ? {} : { remembered }),
    };
  }

  #detail(
    request: TickRequest,
    { model, call, minMoveBps, startMs }: Asked,
    { window, score }: ScoredWindow,
    isSeen: () => boolean,
  ): ForecastDetail {
    const { counterfactual: wantsCounterfactual = true, parseMs = 0, memory } = call;
    const { clock, ruleSet } = this.#deps;
    const answered = typeof score === 'string' ? null : score;
    const reasons =
      typeof score !== 'string'
        ? score.reasons
        : [score === 'density_untrained' ? barRefusal(model.bars, request.bars!.periodMs) : refusalReason(score)];
    const horizonUs = request.futureUs - (request.series.timesUs.at(-1) as number);
    const bucket = bucketOf(horizonUs / US_PER_SECOND);
    const moveBps = minMoveBps ?? (answered === null ? null : answered.theta * BPS_PER_UNIT);
    const described = describeInput(request, window, model.manifest.synthetic, moveBps);
    const seen = isSeen() ? (['seen_in_training'] as const) : [];
    const doubt = typeof memory === 'object' ? memory.barTimeDoubt : undefined;
    const doubted = doubt === undefined ? [] : (['bar_time_doubtful'] as const);
    const input = {
      ...described,
      bar_time_evidence: doubt,
      notes: [...described.notes, ...seen, ...doubted],
    };
    const counterfactual =
      answered === null || typeof window === 'string' || !wantsCounterfactual
        ? null
        : counterfactualOf((request.bars === undefined ? model.manifest.trained : model.bars!).logThetaRatio, window, answered);
    return {
      model: { id: model.id, head: headOf(model, request) },
      horizon_ms: horizonUs / US_PER_MS,
      opportunity: {
        probability: answered?.probability ?? null,
        decision_threshold: answered?.cut ?? null,
        // The number of the caller is returned exactly as it was sent.
        min_move_bps: moveBps,
      },
      direction: {
        probability_up: answered?.probabilityUp ?? null,
        called: answered === null ? null : calledDirection(answered, model.manifest.heads[bucket]?.directionPassed ?? false),
      },
      status: statusOf(reasons[0]?.code ?? null),
      reasons: reasons.map(publicReason),
      logit: answered === null ? null : { ...answered.logit },
      ...(answered === null || answered.memory === null
        ? {}
        : { memory: describeMemory(answered.memory, shownWeights(model, request), answered.own) }),
      ruleset: { id: ruleSet.id, hash: ruleSet.hash },
      rules: (answered?.rules.rules ?? []).map((rule) => ({
        id: rule.id,
        text: rule.text(),
        truth: rule.truth,
        contribution: rule.contribution,
        literals: rule.literals(),
      })),
      levels: [...(answered?.rules.levels ?? [])],
      counterfactual: counterfactual === null ? null : { min_move_bps: counterfactual },
      input,
      timings_ms: {
        parse: parseMs,
        features: answered?.featuresMs ?? 0,
        network: answered?.networkMs ?? 0,
        rules: answered?.rulesMs ?? 0,
        total: parseMs + clock.monotonicMs() - startMs,
      },
    };
  }
}

/**
 * The threshold at which the probability crosses the cut, within the trained range; a window has at most one. Only for reasons that
 * another threshold can change: not for a veto, a horizon or a density.
 */
function counterfactualOf(
  [, high]: readonly [number, number],
  { thetaDefault }: WindowFacts,
  { reasons, curve, sides, cut }: WindowScore,
): number | null {
  if (cut === null || reasons.some(({ code }) => !CHANGED_BY_THRESHOLD.has(code))) return null;
  const level = logOdds(cut);
  const isAbove = curve.start >= level;
  // Marks end at a larger threshold than the default one if that is marked, otherwise at a smaller one.
  const side = sides[isAbove ? 1 : 0];
  let crossing = curve.crossing(level);
  if (crossing === null) {
    if (side === null) return null;
    crossing = side.crossing(level);
  }
  const isMarked = reasons.length === 0;
  // Above the trained range, a mark ends with the range.
  if (crossing === null && isAbove && !isMarked) crossing = high;
  return crossing === null ? null : beyond(Math.log(thetaDefault) + crossing, isMarked);
}

/** Name of the head: of ticks, that of the horizon bucket; of bars, period and horizon. */
function headOf({ manifest, bars }: ServedModel, request: TickRequest): string {
  const { horizonMs } = originOf(request);
  if (request.bars !== undefined) return bars === undefined ? '' : barHeadName(barHeadOf(bars, request.bars.periodMs, horizonMs));
  const bucket = bucketOf((request.futureUs - request.series.timesUs.at(-1)!) / US_PER_SECOND);
  return manifest.heads[bucket]?.name ?? BUCKET_NAMES[bucket] ?? '';
}

function summaryOf({ model, minMoveBps }: Asked, result: WindowScore | WindowRefusal): ForecastSummary {
  if (typeof result === 'string') {
    const unknown = { probability: null, baselineProbability: null, decisionThreshold: null, medianGapS: null };
    return { model: model.id, ...unknown, minMoveBps, reasons: [result] };
  }
  const { probability, logit, cut, theta, reasons, medianGapS } = result;
  return {
    model: model.id,
    probability,
    baselineProbability: sigmoid(logit.baseline),
    decisionThreshold: cut,
    minMoveBps: minMoveBps ?? theta * BPS_PER_UNIT,
    reasons: reasons.map(({ code }) => code),
    medianGapS,
  };
}

/** Null: there is no memory, or it was used. */
const unusedOf = (memory: ForecastCall['memory'] | WindowScore['memory']): Outlook | null =>
  typeof memory === 'string' ? { memory_unused: memory } : null;

const CHANGED_BY_THRESHOLD: ReadonlySet<string> = new Set(['below_threshold', 'threshold_untrained']);

/** A direction is returned only with a mark, and only by a head whose direction passed the promotion gate. */
function calledDirection({ reasons, probabilityUp }: WindowScore, hasPassed: boolean): 'up' | 'down' | null {
  if (!hasPassed || reasons.length > 0 || probabilityUp === null || probabilityUp === 0.5) return null;
  return probabilityUp > 0.5 ? 'up' : 'down';
}

/** The threshold in basis points; null: the default one of the window. Throws ServiceError `request.invalid` if the cost is not known. */
function moveOf(wanted: ForecastOptions['minMoveBps'], { spreadBps }: TickRequest): number | null {
  if (wanted !== 'cost') return wanted ?? null;
  const cost = spreadBps?.();
  if (cost !== undefined && cost > 0) {
    checkOptions({ minMoveBps: cost });
    return cost;
  }
  const detail = cost === undefined ? 'the ticks have no Bid and Ask' : 'the median spread of the quotes is 0';
  throw invalidRequest([fieldProblem('?min_move_bps', 'min_move_bps.cost_unknown', `min_move_bps is cost, but ${detail}.`)]);
}

function checkFirst({ touch = [], first }: ForecastOptions): void {
  if (first !== true || touch.length === 2) return;
  const detail = `first must compare the two prices of touch; it has ${touch.length}.`;
  throw invalidRequest([fieldProblem('?first', 'touch.out_of_range', detail)]);
}

function checkTicks({ series, futureUs }: TickRequest): void {
  const count = series.timesUs.length;
  if (count < 1) throw invalidRequest([fieldProblem('', 'ticks.too_few', 'there is no tick')]);
  if (count > MAX_ENTRIES - 1) throw invalidRequest([fieldProblem('', 'ticks.too_many', `${count} ticks; ${MAX_ENTRIES - 1} at most`)]);
  if (!(futureUs > series.timesUs[count - 1]))
    throw invalidRequest([fieldProblem('', 'timestamp.future_not_later', 'the horizon must be above 0')]);
}
