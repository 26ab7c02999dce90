import { FLAT_CLOCK, measureBars, type BarMeasures } from '../features/measureBars.ts';
import { MS_PER_SECOND } from '../../core/units.ts';
import type { WindowFacts, WindowRefusal } from '../features/WindowMeasures.ts';
import { meanOfClock } from '../memory/ClockProfile.ts';
import { memoryInputs } from '../memory/memoryInputs.ts';
import { memoryAnswer, rememberedOf } from '../memory/memoryLine.ts';
import { BAR_PERIODS_MS, barHeadName, barHeadOf, barLogisticOf, barLogit, type BarModel } from '../model/BarModel.ts';
import type { TickRequest } from '../../ticks/parseTickRequest.ts';
import { memoryAt, type MemoryAtOrigin, originOf } from './memoryAt.ts';
import { barReasons, decisionReasons, type Reason } from './nullReasons.ts';
import { sigmoid } from '../scoring/logOdds.ts';
import { outlookOf, outlookToRemember, wantsOutlook } from './outlook.ts';
import { knotsTowards, ThresholdCurve } from './thresholdCurve.ts';
import { cutOf, type ScoredWindow, type ScoringInput, type WindowScore } from './WindowScore.ts';

export type BarScoring = Omit<ScoringInput, 'features'> & { readonly wantsSides: boolean };

/** Log-odds at one threshold: of the baseline, of the window alone, and with the memory of the series. */
type Parts = { readonly baseline: number; readonly window: number; readonly total: number };

/**
 * Scores a window of bars. Its model is a logistic of volatility: there is no network, and the rules, which read ticks, do not apply.
 * `network` of the log-odds is what the window adds to the baseline of three variances.
 */
export function scoreBars(input: BarScoring): ScoredWindow {
  const { model, request, clock } = input;
  const startMs = clock.monotonicMs();
  const { bars } = request as Required<Pick<TickRequest, 'bars'>>;
  if (model.bars === undefined || bars.periodMs < BAR_PERIODS_MS[0] || bars.periodMs > BAR_PERIODS_MS[1])
    return refused('density_untrained');
  const { horizonMs } = originOf(request);
  const flat = measureBars(request.series, bars, horizonMs, FLAT_CLOCK);
  if (typeof flat === 'string') return refused(flat);
  const found = memoryAt(model, request, input.memory);
  const memory = typeof found === 'string' ? null : found;
  const values = memory?.view.clock;
  const scaled =
    values === undefined ? flat : measureBars(request.series, bars, horizonMs, (fromMs, toMs) => meanOfClock(values, fromMs, toMs), flat);
  // What a flat clock can measure, another one can.
  const measured = { flat, scaled: scaled as BarMeasures };
  return {
    window: factsOf(request, flat, bars.periodMs),
    context: null,
    score: conclude(input, model.bars, measured, memory, found, startMs),
  };
}

const refused = (why: WindowRefusal): ScoredWindow => ({ window: why, context: null, score: why });

type Measured = { readonly flat: BarMeasures; readonly scaled: BarMeasures };

function conclude(
  input: BarScoring,
  bars: BarModel,
  measured: Measured,
  memory: MemoryAtOrigin | null,
  found: ReturnType<typeof memoryAt>,
  startMs: number,
): WindowScore {
  const { request, options, clock } = input;
  const { flat } = measured;
  const { periodMs } = request.bars!;
  const head = barHeadOf(bars, periodMs, flat.horizonMs);
  const alone = barLogisticOf(head, false, flat);
  const known = barLogisticOf(head, measured.scaled !== flat, flat);
  const { thetaDefault } = flat;
  const theta = input.theta ?? thetaDefault;
  const logThetaRatio = Math.log(theta / thetaDefault);
  const readAt = (at: number, base: number) =>
    memory && memoryInputs(memory.view, { theta: at, sigma: sigmaOf(flat), base, version: memory.version });
  const partsAt = (at: number): Parts => {
    const baseline = barLogit(head.baseline, bars.knots, flat, at);
    const window = barLogit(alone, bars.knots, flat, at);
    if (memory === null) return { baseline, window, total: window };
    const base = barLogit(known, bars.knots, measured.scaled, at);
    return { baseline, window, total: base + memoryAnswer(memory.line, memory.view.own, readAt(at, base)!, base).part };
  };
  const thetaAt = (logRatio: number): number => (logRatio === 0 ? thetaDefault : thetaDefault * Math.exp(logRatio));
  const curveTo = (logRatio: number): ThresholdCurve => {
    const knots = knotsTowards(bars.logThetaRatio, logRatio);
    return new ThresholdCurve(
      knots,
      knots.map((knot) => partsAt(thetaAt(knot)).total),
    );
  };
  const curve = curveTo(logThetaRatio);
  const total = curve.at(logThetaRatio);
  const { baseline, window } = partsAt(theta);
  const decision = { probability: sigmoid(total), ...cutOf(input, head.cut) };
  const { cut } = decision;
  const reasons: Reason[] = [
    ...barReasons(bars, { periodMs, horizonMs: flat.horizonMs, logThetaRatio, isMarkedBelow: cut !== null && sigmoid(curve.end) >= cut }),
    ...decisionReasons(decision, barHeadName(head)),
  ];
  const wantsSides = wantsOutlook(options) || (input.wantsSides && cut !== null);
  const sides: WindowScore['sides'] = wantsSides ? [curveTo(bars.logThetaRatio[0]), curveTo(bars.logThetaRatio[1])] : [null, null];
  const horizonS = flat.horizonMs / MS_PER_SECOND;
  const outlookWindow = {
    sides,
    thetaDefault,
    lastPrice: request.series.prices.at(-1)!,
    outcomes: memory?.view.ranges,
    touches: memory?.view.touches,
    facts: {
      horizonS,
      noise: 0,
      sigma: sigmaOf(flat) * Math.sqrt(horizonS),
      gapS: request.bars!.ranges === undefined ? periodMs / MS_PER_SECOND : 0,
    },
  };
  const base = memory && barLogit(known, bars.knots, measured.scaled, theta);
  const reading = base === null ? null : readAt(theta, base);
  const own = reading && memory && memoryAnswer(memory.line, memory.view.own, reading, base!).own;
  return {
    theta,
    logit: {
      baseline,
      network: (memory === null ? total : window) - baseline,
      ...(memory === null ? {} : { memory: total - window }),
      rules: 0,
      total,
    },
    ...decision,
    probabilityUp: null,
    rules: { rules: [], levels: [], total: 0, vetoedBy: [] },
    medianGapS: periodMs / MS_PER_SECOND,
    curve,
    sides,
    memory: reading ?? (typeof found === 'string' ? found : null),
    own: own && { weights: memory!.view.own!, part: own.part },
    remembered:
      reading &&
      memory &&
      rememberedOf({ theta, base: base!, version: memory.version }, reading, own, outlookToRemember(outlookWindow, options)),
    outlook: wantsOutlook(options) ? outlookOf(outlookWindow, options, reasons) : null,
    reasons,
    featuresMs: clock.monotonicMs() - startMs,
    networkMs: 0,
    rulesMs: 0,
  };
}

/** sigma per sqrt(second) of the slowest variance. */
const sigmaOf = ({ logMoves, horizonMs }: BarMeasures): number => Math.exp(logMoves[2]) / Math.sqrt(horizonMs / MS_PER_SECOND);

function factsOf({ series }: TickRequest, measures: BarMeasures, periodMs: number): WindowFacts {
  const sigma = sigmaOf(measures);
  const horizonS = measures.horizonMs / MS_PER_SECOND;
  return {
    ticks: series.timesUs.length,
    distinctTicks: measures.bars,
    ticksBeforeGap: 0,
    lastPrice: series.prices.at(-1)!,
    horizonS,
    windowS: measures.windowMs / MS_PER_SECOND,
    medianGapS: periodMs / MS_PER_SECOND,
    sigmas: [sigma, sigma, sigma, sigma],
    sigmaHorizon: sigma * Math.sqrt(horizonS),
    quantileMove: measures.thetaDefault,
    cost: NaN,
    thetaDefault: measures.thetaDefault,
  };
}
