import type { Clock } from '../../core/Clock.ts';
import type { Logger } from '../../core/Logger.ts';
import { BPS_PER_UNIT } from '../../core/units.ts';
import { FeatureBuilder } from '../features/FeatureBuilder.ts';
import type { InferenceHost } from '../inference/InferenceHost.ts';
import type { ModelCatalog, ServedModel } from '../model/ModelManifest.ts';
import type { TickRequest } from '../../ticks/parseTickRequest.ts';
import type { ScoreSummary } from './WindowScore.ts';
import { scoreWindow, type ScoringDeps } from './scoreWindow.ts';

export type ShadowDeps = {
  /** The shadow version; it can be loaded and unloaded at any time. */
  readonly id: string;
  readonly host: InferenceHost;
  readonly models: ModelCatalog;
  readonly ruleSet: ScoringDeps['ruleSet'];
  readonly clock: Clock;
  readonly logger: Logger;
  /** `difference`: absolute difference of the two probabilities, if both exist. */
  readonly onOutcome?: (outcome: ShadowOutcome, difference?: number) => void;
};

type Pair = { readonly live: ServedModel; readonly shadow: ServedModel; readonly tally: ShadowTally };
type Queued = { readonly request: TickRequest; readonly result: ScoreSummary; readonly pair: Pair };

/** Maximum number of windows that are queued or running, about 50 kB each. */
export const MOST_SHADOWS = 4;
/**
 * A shadow forecast starts when there was no live forecast for this time, so that it does not delay a client that sends its next request at
 * once.
 */
export const QUIET_MS = 5;

/**
 * Runs the live forecasts of the default version on a second version too; results are only counted and logged, and never sent to a caller.
 * Windows run one at a time when there was no live forecast for QUIET_MS; windows that do not fit are dropped.
 */
export class ShadowForecasts {
  readonly #deps: ShadowDeps;
  readonly #scoring: ScoringDeps;
  readonly #queued: Queued[] = [];
  #isRunning = false;
  #cancel = (): void => {};
  #isClosed = false;
  #pair: Pair | undefined;
  #loggedState = '';
  #isFailing = false;

  constructor(deps: ShadowDeps) {
    const { host, ruleSet, clock } = deps;
    this.#deps = deps;
    this.#scoring = { host, ruleSet, clock, features: new FeatureBuilder() };
  }

  /** Logs, once per change, whether the shadow version is available. */
  logState(): void {
    const { id, models, logger } = this.#deps;
    const state = id === models.defaultId ? 'default' : models.find(id) === undefined ? 'unknown' : 'loaded';
    if (state === this.#loggedState) return;
    this.#loggedState = state;
    if (state === 'loaded') logger.info('shadow version is running', { id, live: models.defaultId });
    else if (state === 'default') logger.warn('SHADOW_MODEL is the default version: there is nothing to compare', { id });
    else logger.warn('SHADOW_MODEL is not loaded; it runs as soon as it is loaded', { id });
  }

  /** Called with every live forecast, right before its answer is sent. Copies the ticks if it queues them, and throws nothing. */
  offer(request: TickRequest, model: ServedModel, result: ScoreSummary): void {
    if (this.#isClosed) return;
    this.#schedule();
    if (model.id !== this.#deps.models.defaultId) return;
    this.logState();
    const shadow = this.#deps.models.find(this.#deps.id);
    if (shadow === undefined || shadow.id === model.id) return;
    const pair = this.#pairOf(model, shadow);
    if (this.#queued.length + (this.#isRunning ? 1 : 0) >= MOST_SHADOWS) return this.#count(pair, 'dropped');
    this.#queued.push({ request: copyOf(request), result, pair });
    this.#schedule();
  }

  /** Null: the version is not the shadow version, or nothing was compared yet. */
  read(model: ServedModel): ShadowSummary | null {
    const pair = this.#pair;
    return pair?.shadow === model ? pair.tally.read(pair.live.id) : null;
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel();
    this.#queued.length = 0;
  }

  /** A change of either version starts a new count. */
  #pairOf(live: ServedModel, shadow: ServedModel): Pair {
    if (this.#pair?.live !== live || this.#pair.shadow !== shadow) this.#pair = { live, shadow, tally: new ShadowTally() };
    return this.#pair;
  }

  /** Called with each live forecast, which restarts the quiet time; by its end, the answer was sent. */
  #schedule(): void {
    if (this.#queued.length === 0) return;
    this.#cancel();
    this.#cancel = this.#deps.clock.after(QUIET_MS, () => {
      if (this.#isRunning) return;
      const next = this.#queued.shift();
      if (next !== undefined) void this.#run(next).then(() => this.#schedule());
    });
  }

  /** Never rejects. */
  async #run({ request, result, pair }: Queued): Promise<void> {
    const held = this.#deps.models.hold(pair.shadow.id);
    this.#isRunning = true;
    try {
      // The version was unloaded or replaced while the window was queued.
      if (held?.model !== pair.shadow) return this.#count(pair, 'dropped');
      const question = { options: {}, theta: result.theta, cut: result.wantedCut, wantsTrace: false };
      const { score } = await scoreWindow(this.#scoring, pair.shadow, request, question);
      if (typeof score === 'string') throw new Error(`The window has no features: ${score}.`);
      this.#isFailing = false;
      this.#compare(request, pair, result, score);
    } catch (error) {
      if (!this.#isClosed) this.#fail(pair, error);
    } finally {
      this.#isRunning = false;
      held?.release();
    }
  }

  #compare(request: TickRequest, pair: Pair, live: ScoreSummary, shadow: ScoreSummary): void {
    const [byLive, byShadow] = [live.reasons.length === 0, shadow.reasons.length === 0];
    const outcome = byLive === byShadow ? 'agrees' : byLive ? 'only_live' : 'only_shadow';
    this.#count(pair, outcome, Math.abs(live.probability - shadow.probability));
    this.#deps.logger.debug('shadow forecast', {
      outcome,
      horizonS: (request.futureUs - (request.series.timesUs.at(-1) as number)) / 1e6,
      minMoveBps: live.theta * BPS_PER_UNIT,
      live: summary(pair.live, live),
      shadow: summary(pair.shadow, shadow),
    });
  }

  #fail(pair: Pair, error: unknown): void {
    this.#count(pair, 'failed');
    const { logger, id } = this.#deps;
    logger.debug('shadow forecast', { outcome: 'failed', reason: String(error) });
    if (!this.#isFailing) logger.warn('the shadow version fails; live forecasts are not affected', { id, reason: String(error) });
    this.#isFailing = true;
  }

  #count({ tally }: Pair, outcome: ShadowOutcome, difference?: number): void {
    tally.add(outcome, difference);
    this.#deps.onOutcome?.(outcome, difference);
  }
}

/** The owner of the request may reuse its arrays. */
function copyOf({ series, futureUs, bars }: TickRequest): TickRequest {
  const copy = { series: { timesUs: series.timesUs.slice(), prices: series.prices.slice() }, futureUs };
  if (bars === undefined) return copy;
  const { periodMs, ranges } = bars;
  if (ranges === undefined) return { ...copy, bars: { periodMs } };
  return { ...copy, bars: { periodMs, ranges: { open: ranges.open.slice(), high: ranges.high.slice(), low: ranges.low.slice() } } };
}

function summary({ id }: ServedModel, { probability, cut, reasons }: ScoreSummary): Record<string, unknown> {
  return { id, mark: reasons.length === 0 ? 1 : null, probability, cut, reasons: reasons.map(({ code }) => code) };
}

/**
 * `agrees`, `only_live`, `only_shadow`: which version marks an opportunity. `failed`: the shadow version has no result. `dropped`: it did
 * not run.
 */
export type ShadowOutcome = 'agrees' | 'only_live' | 'only_shadow' | 'failed' | 'dropped';

export type ShadowSummary = {
  /** The live version of the comparison. */
  readonly live: string;
  /** Live forecasts that both versions computed. */
  readonly forecasts: number;
  readonly agree: number;
  readonly onlyLive: number;
  readonly onlyShadow: number;
  readonly failed: number;
  readonly dropped: number;
  /** Of the two probabilities; null: there are no forecasts yet. */
  readonly meanAbsDifference: number | null;
};

/** Counts the outcomes of one pair of versions. */
class ShadowTally {
  readonly #counts: Record<ShadowOutcome, number> = { agrees: 0, only_live: 0, only_shadow: 0, failed: 0, dropped: 0 };
  #differences = 0;

  /** `difference`: absolute difference of the two probabilities, if both exist. */
  add(outcome: ShadowOutcome, difference = 0): void {
    this.#counts[outcome]++;
    this.#differences += difference;
  }

  read(live: string): ShadowSummary {
    const { agrees, only_live: onlyLive, only_shadow: onlyShadow, failed, dropped } = this.#counts;
    const forecasts = agrees + onlyLive + onlyShadow;
    const meanAbsDifference = forecasts === 0 ? null : this.#differences / forecasts;
    return { live, forecasts, agree: agrees, onlyLive, onlyShadow, failed, dropped, meanAbsDifference };
  }
}
