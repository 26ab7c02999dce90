/**
 * `agrees`, `only_live`, `only_shadow`: which version marks an opportunity. `failed`: the shadow version has no result. `dropped`: it did
 * not run.
 */
export const SHADOW_OUTCOMES = ['agrees', 'only_live', 'only_shadow', 'failed', 'dropped'] as const;
export type ShadowOutcome = (typeof SHADOW_OUTCOMES)[number];

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
export class ShadowTally {
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
