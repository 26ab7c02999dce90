/** Outcomes of the forecasts whose probability was in one tenth. Counts and a sum, so that bins can be added up. */
export type Bin = {
  /** 0 to 9; a probability of 1 is in the last. */
  readonly tenth: number;
  readonly outcomes: number;
  readonly moved: number;
  /** Sum of the probabilities. */
  readonly probabilitySum: number;
};

const TENTHS = 10;

/** The bin of one outcome. */
export function binOf(probability: number, moved: boolean): Bin {
  const tenth = Math.min(TENTHS - 1, Math.floor(probability * TENTHS));
  return { tenth, outcomes: 1, moved: moved ? 1 : 0, probabilitySum: probability };
}

/** Adds bins up; bins without an outcome are left out, the others are in order. */
export function addBins(...lists: readonly (readonly Bin[])[]): readonly Bin[] {
  const sums = new Array<Bin | undefined>(TENTHS).fill(undefined);
  for (const bins of lists)
    for (const bin of bins) {
      const { tenth, outcomes, moved, probabilitySum } = bin;
      const sum = sums[tenth];
      sums[tenth] =
        sum === undefined
          ? bin
          : { tenth, outcomes: sum.outcomes + outcomes, moved: sum.moved + moved, probabilitySum: sum.probabilitySum + probabilitySum };
    }
  return sums.filter((sum) => sum !== undefined);
}
