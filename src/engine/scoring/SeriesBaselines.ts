import { logOdds, sigmoid } from './logOdds.ts';
import { afterOutcome, type LearnedWeights, learnedPart, lineInputs, startingPosterior, USUAL_LOG_ODDS } from './LearnedWeights.ts';

/** Standard deviations of intercept and slope before the first outcome: wide, because the volatility baseline knows nothing of the market. */
const SPREADS = [1, 0.3];
/** The base rate before the first outcome counts as so many outcomes. */
const USUAL_OUTCOMES = 2;

/** As the volatility baseline of a forecast. */
const MOST_LOG_ODDS = Math.log(999_999);

/** What the outcomes of a series have taught its baselines. It does not change. */
export type TaughtBaselines = {
  /** Of slope and intercept. */
  readonly weights: LearnedWeights;
  readonly outcomes: number;
  readonly moved: number;
  /** End of the last horizon that was learned from, ms. */
  readonly untilMs: number;
};

export const UNTAUGHT: TaughtBaselines = { weights: startingPosterior([0, 0], SPREADS), outcomes: 0, moved: 0, untilMs: -Infinity };

/** What needs no network: the volatility baseline of the version with slope and intercept of the series, and the base rate so far. */
export type BaselineProbabilities = { readonly baseline: number; readonly baseRate: number };

/** `version`: by the volatility baseline of the version. */
export function baselinesAt({ weights, outcomes, moved }: TaughtBaselines, version: number): BaselineProbabilities {
  const odds = boundedOdds(version);
  return {
    baseline: sigmoid(odds + learnedPart(weights, lineInputs(odds))),
    baseRate: (moved + USUAL_OUTCOMES * sigmoid(USUAL_LOG_ODDS)) / (outcomes + USUAL_OUTCOMES),
  };
}

const boundedOdds = (probability: number): number => Math.min(MOST_LOG_ODDS, Math.max(-MOST_LOG_ODDS, logOdds(probability)));

/** A forecast whose outcome can be known at `endMs`. */
export type BaselineQuestion = { readonly atMs: number; readonly endMs: number; readonly version: number };

/** With one more outcome, in order of time. Those that overlap the last one are nearly the same piece of evidence, and teach nothing. */
export function teach(before: TaughtBaselines, { atMs, endMs, version }: BaselineQuestion, moved: boolean): TaughtBaselines {
  if (atMs < before.untilMs) return before;
  const odds = boundedOdds(version);
  return {
    weights: afterOutcome(before.weights, { logOdds: odds, inputs: lineInputs(odds) }, moved ? 1 : 0),
    outcomes: before.outcomes + 1,
    moved: before.moved + (moved ? 1 : 0),
    untilMs: endMs,
  };
}

/** The baselines of one series and horizon, from the outcomes that are known before each forecast. */
export class SeriesBaselines {
  #taught = UNTAUGHT;
  readonly #due: (BaselineQuestion & { readonly moved: boolean })[] = [];

  /** Of a forecast. Call it in order of time, before `settle` of the same forecast. */
  at(atMs: number, version: number): BaselineProbabilities {
    while (this.#due.length > 0 && this.#due[0].endMs <= atMs) {
      const due = this.#due.shift()!;
      this.#taught = teach(this.#taught, due, due.moved);
    }
    return baselinesAt(this.#taught, version);
  }

  /** Its outcome, for forecasts from its end on. */
  settle(question: BaselineQuestion, moved: boolean): void {
    this.#due.push({ moved, ...question });
  }
}

/** The baselines of each forecast of one series and horizon, in order of time. `moved`: null where it is unknown. */
export function seriesBaselines(rows: readonly (BaselineQuestion & { readonly moved: boolean | null })[]): BaselineProbabilities[] {
  const baselines = new SeriesBaselines();
  return rows.map(({ moved, ...question }) => {
    const found = baselines.at(question.atMs, question.version);
    if (moved !== null) baselines.settle(question, moved);
    return found;
  });
}
