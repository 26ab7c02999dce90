import type { Clock } from '../core/Clock.ts';
import type { Logger } from '../core/Logger.ts';
import { BPS_PER_UNIT } from '../core/units.ts';
import type { InferenceHost } from '../inference/InferenceHost.ts';
import type { ModelCatalog, ServedModel } from '../model/ModelManifest.ts';
import type { TickRequest } from '../ticks/parseTickRequest.ts';
import { judgeThreshold, type JudgeDeps } from './judgeThreshold.ts';
import { ShadowTally, type ShadowOutcome, type ShadowSummary } from './ShadowTally.ts';
import type { BareVerdict } from './WindowJudgement.ts';
import { WindowSlot } from './WindowSlot.ts';

export type ShadowDeps = {
  /** The version that is tried; it may come and go. */
  readonly id: string;
  readonly host: InferenceHost;
  readonly models: ModelCatalog;
  readonly rulesOf: JudgeDeps['rulesOf'];
  readonly clock: Clock;
  readonly logger: Logger;
  /** `difference`: of the two probabilities, where both are there. */
  readonly onOutcome?: (outcome: ShadowOutcome, difference?: number) => void;
};

type Pair = { readonly live: ServedModel; readonly shadow: ServedModel; readonly tally: ShadowTally };
type Waiting = { readonly request: TickRequest; readonly verdict: BareVerdict; readonly pair: Pair };

/** Windows that wait or run at most, some 50 kB each. */
export const MOST_SHADOWS = 4;
/** A shadow forecast starts when no live answer was given for this time: a client that sends its next request at once does not wait for it. */
export const QUIET_MS = 5;

/**
 * Asks a second version what it would have answered to the live forecasts of the default one, and only counts and logs it. One window at a time is
 * computed, when no live answer was given for some milliseconds; windows that do not fit are dropped. Nothing of it reaches a caller.
 */
export class ShadowForecasts {
  readonly #deps: ShadowDeps;
  readonly #judge: JudgeDeps;
  readonly #waiting: Waiting[] = [];
  #isRunning = false;
  #cancel = (): void => {};
  #isClosed = false;
  #pair: Pair | undefined;
  #said = '';
  #isFailing = false;

  constructor(deps: ShadowDeps) {
    const { host, rulesOf, clock } = deps;
    this.#deps = deps;
    this.#judge = { host, rulesOf, clock, slot: new WindowSlot() };
  }

  /** Says in the log, once, whether the version is there to be asked. */
  look(): void {
    const { id, models, logger } = this.#deps;
    const state = id === models.defaultId ? 'default' : models.find(id) === undefined ? 'unknown' : 'asked';
    if (state === this.#said) return;
    this.#said = state;
    if (state === 'asked') logger.info('shadow version is asked too', { id, live: models.defaultId });
    else if (state === 'default') logger.warn('SHADOW_MODEL answers by default itself: there is nothing to compare', { id });
    else logger.warn('SHADOW_MODEL is not loaded; it is asked as soon as it is', { id });
  }

  /** Called with every live answer, right before it goes out. Keeps a copy of the ticks at most, and throws nothing. */
  offer(request: TickRequest, model: ServedModel, verdict: BareVerdict): void {
    if (this.#isClosed) return;
    this.#schedule();
    if (model.id !== this.#deps.models.defaultId) return;
    this.look();
    const shadow = this.#deps.models.find(this.#deps.id);
    if (shadow === undefined || shadow.id === model.id) return;
    const pair = this.#pairOf(model, shadow);
    if (this.#waiting.length + (this.#isRunning ? 1 : 0) >= MOST_SHADOWS) return this.#count(pair, 'dropped');
    this.#waiting.push({ request: copyOf(request), verdict, pair });
    this.#schedule();
  }

  /** Null: the version is not the one that is tried, or nothing was compared yet. */
  read(model: ServedModel): ShadowSummary | null {
    const pair = this.#pair;
    return pair?.shadow === model ? pair.tally.read(pair.live.id) : null;
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel();
    this.#waiting.length = 0;
  }

  /** Another version on either side begins a new count. */
  #pairOf(live: ServedModel, shadow: ServedModel): Pair {
    if (this.#pair?.live !== live || this.#pair.shadow !== shadow) this.#pair = { live, shadow, tally: new ShadowTally() };
    return this.#pair;
  }

  /** Called with each live answer, so the quiet time begins again; at its end that answer has been sent. */
  #schedule(): void {
    if (this.#waiting.length === 0) return;
    this.#cancel();
    this.#cancel = this.#deps.clock.after(QUIET_MS, () => {
      if (this.#isRunning) return;
      const next = this.#waiting.shift();
      if (next !== undefined) void this.#run(next).then(() => this.#schedule());
    });
  }

  /** Rejects never. */
  async #run({ request, verdict, pair }: Waiting): Promise<void> {
    const held = this.#deps.models.hold(pair.shadow.id);
    this.#isRunning = true;
    try {
      // It went, or came anew, while the window waited.
      if (held?.model !== pair.shadow) return this.#count(pair, 'dropped');
      const question = { theta: verdict.theta, deadlineMs: undefined, wantsTrace: false };
      const answer = await judgeThreshold(this.#judge, pair.shadow, request, question);
      if (typeof answer === 'string') throw new Error(`The window has no features: ${answer}.`);
      this.#isFailing = false;
      this.#compare(request, pair, verdict, answer);
    } catch (error) {
      if (!this.#isClosed) this.#fail(pair, error);
    } finally {
      this.#isRunning = false;
      held?.release();
    }
  }

  #compare(request: TickRequest, pair: Pair, live: BareVerdict, shadow: BareVerdict): void {
    const [byLive, byShadow] = [live.reasons.length === 0, shadow.reasons.length === 0];
    const outcome = byLive === byShadow ? 'agrees' : byLive ? 'only_live' : 'only_shadow';
    this.#count(pair, outcome, Math.abs(live.probability - shadow.probability));
    this.#deps.logger.debug('shadow forecast', {
      outcome,
      horizonS: (request.futureUs - (request.series.timesUs.at(-1) as number)) / 1e6,
      minMoveBps: live.theta * BPS_PER_UNIT,
      live: said(pair.live, live),
      shadow: said(pair.shadow, shadow),
    });
  }

  #fail(pair: Pair, error: unknown): void {
    this.#count(pair, 'failed');
    const { logger, id } = this.#deps;
    logger.debug('shadow forecast', { outcome: 'failed', reason: String(error) });
    if (!this.#isFailing) logger.warn('the shadow version fails; live answers do not depend on it', { id, reason: String(error) });
    this.#isFailing = true;
  }

  #count({ tally }: Pair, outcome: ShadowOutcome, difference?: number): void {
    tally.add(outcome, difference);
    this.#deps.onOutcome?.(outcome, difference);
  }
}

/** Whoever made the request may use its arrays again. */
function copyOf({ series, futureUs }: TickRequest): TickRequest {
  return { series: { timesUs: series.timesUs.slice(), prices: series.prices.slice() }, futureUs };
}

function said({ id }: ServedModel, { probability, decision, reasons }: BareVerdict): Record<string, unknown> {
  return { id, mark: reasons.length === 0 ? 1 : null, probability, decision, reasons: reasons.map(({ code }) => code) };
}
