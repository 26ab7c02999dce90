import type { Tally } from './score.ts';

const COUNTS = ['forecasts', 'outcomes', 'unscored', 'marks', 'hits', 'moved'] as const satisfies readonly (keyof Tally)[];
const SUMS = ['brierSum', 'baselineBrierSum', 'squaredDifferenceSum', 'markOverlapSum'] as const satisfies readonly (keyof Tally)[];
/** Of a sum, for each of its terms. */
const ROUNDING = 1e-9;
/** Sums of counts stay whole numbers. */
const MOST = 2 ** 40;

const isCount = (value: unknown): value is number => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MOST;
const isSum = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER;

/**
 * The first rule that a stored tally breaks; undefined: outcomes can have it. Forecasts and their outcomes may be in the rows of two days, so
 * that one says nothing of the other.
 */
export function tallyFault(tally: Tally): string | undefined {
  for (const name of COUNTS) if (!isCount(tally[name])) return `${name} is ${tally[name]}; it must be a whole number from 0`;
  for (const name of SUMS) if (!isSum(tally[name])) return `${name} is ${tally[name]}; it must be a number from 0`;
  const { outcomes, marks, hits, moved, brierSum, baselineBrierSum, bins = [], coverage = [] } = tally;
  const most = outcomes * (1 + ROUNDING);
  if (marks > outcomes || moved > outcomes) return `marks is ${marks} and moved is ${moved}; there are ${outcomes} outcomes`;
  if (hits > marks || hits > moved) return `hits is ${hits}; marks is ${marks} and moved is ${moved}`;
  if (brierSum > most || baselineBrierSum > most)
    return `brierSum is ${brierSum} and baselineBrierSum is ${baselineBrierSum}; there are ${outcomes} outcomes`;
  return binsFault(bins, outcomes) ?? coverageFault(coverage) ?? baseRateFault(tally) ?? touchFault(tally.touchSums);
}

function binsFault(bins: NonNullable<Tally['bins']>, outcomes: number): string | undefined {
  let [sum, last] = [0, -1];
  for (const { tenth, outcomes: count, moved, probabilitySum } of bins) {
    if (!isCount(tenth) || tenth > 9 || tenth <= last) return `tenth is ${tenth}; tenths are 0 to 9, each once, in order`;
    if (!isCount(count) || !isCount(moved) || moved > count) return `tenth ${tenth} has ${moved} moves of ${count} outcomes`;
    const [least, most] = [tenth / 10 - ROUNDING, (tenth + 1) / 10 + ROUNDING];
    if (!(probabilitySum >= least * count && probabilitySum <= most * count))
      return `tenth ${tenth} has the sum of probabilities ${probabilitySum} with ${count} outcomes`;
    sum += count;
    last = tenth;
  }
  return sum > outcomes ? `the tenths have ${sum} outcomes of ${outcomes}` : undefined;
}

function baseRateFault({ baseRateSums, outcomes }: Tally): string | undefined {
  if (baseRateSums === undefined) return undefined;
  const { outcomes: count, brierSum, forecastBrierSum, squaredDifferenceSum } = baseRateSums;
  if (!isCount(count) || count > outcomes) return `baseRateSums has ${count} outcomes of ${outcomes}`;
  const isRight = [brierSum, forecastBrierSum].every((sum) => isSum(sum) && sum <= count * (1 + ROUNDING)) && isSum(squaredDifferenceSum);
  return isRight
    ? undefined
    : `baseRateSums has the sums ${brierSum}, ${forecastBrierSum} and ${squaredDifferenceSum} with ${count} outcomes`;
}

function touchFault(sums: Tally['touchSums']): string | undefined {
  if (sums === undefined) return undefined;
  const { outcomes, levels, reached, brierSum, forecastBrierSum, squaredDifferenceSum } = sums;
  if (!isCount(outcomes) || !isCount(levels) || !isCount(reached) || levels < outcomes || reached > levels)
    return `touchSums has ${reached} of ${levels} levels of ${outcomes} outcomes`;
  const isRight =
    [brierSum, forecastBrierSum].every((sum) => isSum(sum) && sum <= outcomes * (1 + ROUNDING)) && isSum(squaredDifferenceSum);
  return isRight
    ? undefined
    : `touchSums has the sums ${brierSum}, ${forecastBrierSum} and ${squaredDifferenceSum} with ${outcomes} outcomes`;
}

function coverageFault(coverage: NonNullable<Tally['coverage']>): string | undefined {
  let last = 0;
  for (const { level, outcomes, covered, overlapSum } of coverage) {
    if (!(level > last && level < 1)) return `level is ${level}; levels are above 0 and below 1, each once, in order`;
    if (!isCount(outcomes) || !isCount(covered) || covered > outcomes) return `level ${level} covers ${covered} of ${outcomes} outcomes`;
    if (!isSum(overlapSum) || overlapSum < outcomes * (1 - ROUNDING)) return `level ${level} has the sum of overlaps ${overlapSum}`;
    last = level;
  }
  return undefined;
}
