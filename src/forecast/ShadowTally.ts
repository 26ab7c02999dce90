/** `agrees`, `only_live`, `only_shadow`: who marks an opportunity. `failed`: the shadow has no answer. `dropped`: it was not asked. */
export const SHADOW_OUTCOMES = ['agrees', 'only_live', 'only_shadow', 'failed', 'dropped'] as const;
export type ShadowOutcome = (typeof SHADOW_OUTCOMES)[number];

export type ShadowSummary = {
  /** The version whose answers it was compared with. */
  readonly live: string;
  /** Live forecasts that it answered too. */
  readonly forecasts: number;
  readonly agree: number;
  readonly onlyLive: number;
  readonly onlyShadow: number;
  readonly failed: number;
  readonly dropped: number;
  /** Of the two probabilities; null: there is no forecast yet. */
  readonly meanAbsDifference: number | null;
};

/** What came of one pair of versions. */
export class ShadowTally {
  readonly #counts: Record<ShadowOutcome, number> = { agrees: 0, only_live: 0, only_shadow: 0, failed: 0, dropped: 0 };
  #differences = 0;

  /** `difference`: of the two probabilities, where both are there. */
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
