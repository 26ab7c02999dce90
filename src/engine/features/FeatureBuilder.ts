import { MAX_ENTRIES, MS_PER_SECOND, US_PER_MS } from '../../core/units.ts';
import type { TickSeries } from '../../ticks/TickSeries.ts';
import { changesLevel } from '../../ticks/LevelWatch.ts';
import { collapseTicks } from './collapseTicks.ts';
import { CONTEXT_TABLE, SEQUENCE_TABLE } from './columns.ts';
import { measureMoves, type PastOrigins, measureReturns, type ReturnSums } from './measureMoves.ts';
import { measureVolatility, type PatchMoveShape } from './measureVolatility.ts';
import { columnShape, shapeColumn, shapeValues, type ColumnShape } from './shapeValues.ts';
import { SEQUENCE_STEPS, type WindowMeasures, type WindowRefusal } from './WindowMeasures.ts';
import { Workspace } from './Workspace.ts';
import { writePriceContext, type Ranges, writeTempo, writeThreshold } from './writeContext.ts';
import { CLOSE_TO_LAST, LOG_DURATION, writeHorizon, writePatches } from './writeSequence.ts';

/** Lower bound of q in units of sigma sqrt(H): half of 1.15, the 75 % quantile of |N(0, 1)|. */
const QUANTILE_FLOOR = 0.575;
/** Exponents of the default threshold, a weighted geometric mean: of q, and of the move of a typical market, which stabilizes it. */
const QUANTILE_WEIGHT = 0.9;
const TYPICAL_WEIGHT = 0.1;
/** Typical volatility, log price per sqrt(second). */
const TYPICAL_SIGMA = 0.6e-4;
/** c of a window in which no price changed; not 0, so that ratios to c stay finite. */
const LEAST_COST = 1e-8;
/** c is at least this many price steps. */
const COST_IN_PRICE_STEPS = 1.5;

/**
 * Computes the network's input from ticks; columns.ts lists the columns. A builder works on one window at a time and reuses its
 * memory: it allocates nothing per tick, and its workspace only grows for a window longer than all before.
 */
export class FeatureBuilder {
  #space: Workspace;
  #measures: WindowMeasures | null = null;
  /** Of `#measures`. */
  #horizonMs = 0;
  /** The window in the workspace; its values do not depend on the horizon. */
  #window: { readonly series: TickSeries; readonly from: number; readonly to: number } | null = null;
  /** The sequence in the workspace is that of `#window`, for some horizon. */
  #isShaped = false;
  /** The sequence of `#measures`, once it was copied. */
  #sequence: Float32Array | null = null;
  readonly #sequenceShape: ColumnShape = columnShape(SEQUENCE_TABLE);
  readonly #contextShape: ColumnShape = columnShape(CONTEXT_TABLE);
  readonly #sums: ReturnSums = {
    absolute: 0,
    squares: 0,
    products: 0,
    absoluteProducts: 0,
    largest: 0,
    step: 0,
    zeros: 0,
    covariance: 0,
  };
  readonly #patchMoves: PatchMoveShape = { clustering: 0, kurtosis: 0 };
  readonly #past: PastOrigins = { complete: 0, withoutPrice: 0, withoutMove: 0 };
  readonly #ranges: Ranges = { horizon: 0, minute: 0 };

  constructor(maxTicks: number = MAX_ENTRIES - 1) {
    this.#space = new Workspace(maxTicks);
  }

  /**
   * Measures ticks [from, to) of the series; the origin is tick to - 1 and no tick at or after `to` is read. The horizon runs from
   * the origin to `futureUs`, both cut to ms, and is at least 1 ms. Computes everything that does not depend on theta. A window that is
   * read again must have the same ticks: nothing is computed again for the same horizon, and for another one only what depends on it.
   */
  read(series: TickSeries, from: number, to: number, futureUs: number): WindowMeasures | WindowRefusal {
    const horizonMs = Math.max(1, Math.floor(futureUs / US_PER_MS) - Math.floor(series.timesUs[to - 1] / US_PER_MS));
    if (this.#measures !== null && this.#horizonMs === horizonMs && this.#holds(series, from, to)) return this.#measures;
    this.#measures = this.#sequence = null;
    this.#horizonMs = horizonMs;
    if (to - from > this.#space.capacity) {
      this.#space = new Workspace(to - from);
      this.#window = null;
    }
    const space = this.#space;
    const refusal = this.#readTicks(series, from, to);
    if (refusal !== null) return refusal;
    const horizonS = horizonMs / MS_PER_SECOND;
    const [sigma30, sigma120, sigma, sigmaWindow] = space.sigmas as unknown as [number, number, number, number];
    if (sigma === 0) return 'constant_price';
    if (!Number.isFinite(sigma)) return 'feature_not_finite';
    // Before the last pause, no tick is used.
    if (changesLevel(series, from + space.ticksBeforeGap, to, { periodUs: 0, pauseUs: Infinity })) return 'level_changed';
    const sigmaHorizon = sigma * Math.sqrt(horizonS);
    const quantileMove = Math.max(measureMoves(space, horizonMs), QUANTILE_FLOOR * sigmaHorizon);
    const cost = costOf(this.#sums);

    writeHorizon(space, sigmaHorizon, horizonMs);
    if (!this.#shapeSequence()) return 'feature_not_finite';
    writeTempo(space, to - from - space.ticksBeforeGap, horizonMs, this.#past);
    writePriceContext(space, horizonMs, this.#sums, this.#patchMoves, this.#ranges);
    this.#measures = {
      ticks: to - from,
      distinctTicks: space.count,
      ticksBeforeGap: space.ticksBeforeGap,
      timesS: space.timesS.subarray(0, space.count),
      logPrices: space.logPrices.subarray(0, space.count),
      lastPrice: series.prices[to - 1],
      horizonS,
      windowS: -space.timesS[0],
      medianGapS: space.medianGapMs / MS_PER_SECOND,
      sigmas: [sigma30, sigma120, sigma, sigmaWindow],
      sigmaHorizon,
      quantileMove,
      cost,
      thetaDefault: Math.max(cost, quantileMove ** QUANTILE_WEIGHT * (TYPICAL_SIGMA * Math.sqrt(horizonS)) ** TYPICAL_WEIGHT),
    };
    return this.#measures;
  }

  /** Returns false if a value is not finite. */
  #shapeSequence(): boolean {
    const { sequenceRaw, sequence } = this.#space;
    if (this.#isShaped) {
      for (const column of [LOG_DURATION, CLOSE_TO_LAST]) shapeColumn(sequenceRaw, SEQUENCE_STEPS, this.#sequenceShape, column, sequence);
      return true;
    }
    return (this.#isShaped = shapeValues(sequenceRaw, SEQUENCE_STEPS, this.#sequenceShape, sequence, 0));
  }

  #holds(series: TickSeries, from: number, to: number): boolean {
    const known = this.#window;
    return known !== null && known.series === series && known.from === from && known.to === to;
  }

  /** Everything that depends neither on theta nor on the horizon. */
  #readTicks(series: TickSeries, from: number, to: number): WindowRefusal | null {
    if (this.#holds(series, from, to)) return null;
    const space = this.#space;
    this.#window = null;
    this.#isShaped = false;
    space.spansMs = NaN;
    const refusal = collapseTicks(series, from, to, space);
    if (refusal !== null) return refusal;
    measureVolatility(space, this.#patchMoves);
    measureReturns(space, this.#sums);
    writePatches(space, space.sigmas[2]);
    this.#window = { series, from, to };
    return null;
  }

  /**
   * Writes SEQUENCE_STEPS x SEQUENCE_COLUMNS and CONTEXT_COLUMNS values, row-major, for the window of the last `read`, which must have
   * returned measures. `theta` in log price, above 0. After a refusal, the output is undefined.
   */
  write(theta: number, sequence: Float32Array, sequenceOffset: number, context: Float32Array, contextOffset: number): WindowRefusal | null {
    sequence.set(this.#space.sequence, sequenceOffset);
    return this.writeContext(theta, context, contextOffset);
  }

  /** A copy of the sequence of the last `read`, the same one until the next window or horizon: it does not depend on theta. */
  get sequence(): Float32Array {
    return (this.#sequence ??= this.#space.sequence.slice());
  }

  /** As `write`, without the sequence. */
  writeContext(theta: number, context: Float32Array, contextOffset: number): WindowRefusal | null {
    const measures = this.#measures;
    if (measures === null || !(theta > 0)) return 'feature_not_finite';
    const space = this.#space;
    writeThreshold(space, measures, theta, this.#sums, this.#ranges);
    return shapeValues(space.contextRaw, 1, this.#contextShape, context, contextOffset) ? null : 'feature_not_finite';
  }
}

/** c: the cost estimated from prices alone (Roll 1984), in log price: about the spread for trades, far below it for mid prices. */
function costOf(sums: ReturnSums): number {
  if (sums.step === Infinity) return LEAST_COST;
  return Math.max(2 * Math.sqrt(Math.max(0, -sums.covariance)), COST_IN_PRICE_STEPS * sums.step);
}
