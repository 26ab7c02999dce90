import { seededRandom } from '../../src/core/Random.ts';
import type { MemoryInputName } from '../../src/engine/memory/memoryInputs.ts';
import type { MemoryLine } from '../../src/engine/memory/memoryLine.ts';
import { sumOfLeaves } from '../../training/context/BoostedTrees.ts';
import { BOOST, boostTrees } from '../../training/context/boostTrees.ts';
import { fitLine, lineLogit, movedInputs } from './fitLine.ts';
import { type LogitOf, outcomeOf } from './figures.ts';
import type { InputRows } from './inputRows.ts';
import type { ScoredRows } from './ScoredRows.ts';

/** Rows with what the memory says at them. */
export type MemoryRows = { readonly rows: ScoredRows; readonly made: InputRows };

/** Learns from members of `learned` and gives log-odds for any rows. */
export type Fitted = { readonly line?: MemoryLine; readonly logit: (of: MemoryRows) => LogitOf };
export type Trial = { readonly id: string; readonly about: string; fit(learned: MemoryRows, members: Int32Array): Fitted };

const THREE = ['hour', 'day', 'cal'] as const;
const FIVE = [...THREE, 'prof', 'prof_day'] as const;
const FIVE_AND_SHARES = [...FIVE, 'share_100', 'share_400'] as const;
const TREES = { ...BOOST, rounds: 250, seed: 1 };
const TREE_FACTOR = 0.8;
const TWO_DAYS_US = 2 * 86_400_000_000;

type View = (of: MemoryRows) => InputRows;
const own: View = ({ made }) => made;

function lineTrial(id: string, about: string, used: readonly MemoryInputName[], equalHorizons = false, view = own): Trial {
  return {
    ...{ id, about },
    fit: (learned, members) => {
      const { rows } = learned;
      const count = new Map<number, number>();
      for (const row of members) count.set(rows.horizonS[row]!, (count.get(rows.horizonS[row]!) ?? 0) + 1);
      const weightOf = (row: number): number => members.length / count.size / count.get(rows.horizonS[row]!)!;
      const line = fitLine(rows, view(learned), members, used, equalHorizons ? weightOf : undefined);
      return {
        line,
        logit: (of) => {
          const inputs = view(of);
          return (row) => lineLogit(line, of.rows, inputs, row);
        },
      };
    },
  };
}

/** All inputs, the base and its volatility. */
function treeColumns({ rows, made }: MemoryRows, members: Int32Array): Float32Array[] {
  const column = (value: (row: number) => number): Float32Array => Float32Array.from(members, value);
  return [
    column((row) => rows.base[row]!),
    column((row) => rows.ewma[row]!),
    column((row) => Math.log((rows.sigma[row]! * Math.sqrt(rows.horizonS[row]!)) / rows.theta[row]!)),
    column((row) => Math.log(rows.horizonS[row]!)),
    column((row) => Math.log1p(made.outcomes[row]!)),
    ...made.inputs.map((values) => column((row) => values[row]!)),
  ];
}

const treeTrial: Trial = {
  id: 'trees',
  about: 'boosted trees on all inputs, base, EWMA, volatility and horizon, result × 0.8',
  fit: ({ rows, made }, members) => {
    const columns = treeColumns({ rows, made }, members);
    const trees = boostTrees(
      columns,
      Uint8Array.from(members, (row) => outcomeOf(rows, row)),
      Float64Array.from(members, (row) => rows.base[row]!),
      TREES,
    );
    return {
      logit: (of) => {
        const values = treeColumns(of, Int32Array.from(of.rows.of.keys()));
        return (row) =>
          of.rows.base[row]! +
          TREE_FACTOR *
            sumOfLeaves(
              trees,
              Float32Array.from(values, (column) => column[row]!),
            );
      },
    };
  },
};

/** Another row of the same horizon and threshold number, from anywhere. */
const randomRow: View = ({ rows, made }) => {
  const random = seededRandom(5);
  const from = new Int32Array(rows.of.length);
  for (const members of groupsOf(rows, (row) => `${rows.horizonS[row]}/${rows.draw[row]}`))
    for (const row of members) from[row] = members[random.integer(members.length)]!;
  return movedInputs(made, from);
};

/** The last row of the series at the same horizon that is at least two days older; none in the first two days. */
const twoDaysOld: View = ({ rows, made }) => {
  const from = new Int32Array(rows.of.length).fill(-1);
  for (const members of groupsOf(rows, (row) => `${rows.of[row]}/${rows.horizonS[row]}/${rows.draw[row]}`)) {
    members.sort((a, b) => rows.originUs[a]! - rows.originUs[b]!);
    let old = -1;
    for (const row of members) {
      while (old + 1 < members.length && rows.originUs[members[old + 1]!]! <= rows.originUs[row]! - TWO_DAYS_US) old++;
      if (old >= 0) from[row] = members[old]!;
    }
  }
  return movedInputs(made, from);
};

function groupsOf(rows: ScoredRows, keyOf: (row: number) => string): number[][] {
  const groups = new Map<string, number[]>();
  for (const row of rows.of.keys()) {
    const list = groups.get(keyOf(row)) ?? [];
    list.push(row);
    groups.set(keyOf(row), list);
  }
  return [...groups.values()];
}

export const BASE: Trial = {
  id: 'base',
  about: 'the base without memory',
  fit: () => ({
    logit:
      ({ rows }) =>
      (row) =>
        rows.base[row]!,
  }),
};

export const TRIALS: readonly Trial[] = [
  lineTrial('nothing', 'slope and intercept alone', []),
  lineTrial('line3', 'line of hour, day, cal', THREE),
  lineTrial('line5', 'line of hour, day, cal, prof, prof_day', FIVE),
  lineTrial('line5h', 'line5, each horizon with the same weight in the fit', FIVE, true),
  lineTrial('line5s', 'line5 and the shares of 100 and 400 moves', FIVE_AND_SHARES),
  treeTrial,
  ...(['line5', 'line5s'] as const).flatMap((id) => {
    const used = id === 'line5' ? FIVE : FIVE_AND_SHARES;
    return [
      lineTrial(`${id}-random`, `placebo: ${id} with the inputs of a random row`, used, false, randomRow),
      lineTrial(`${id}-old`, `placebo: ${id} with inputs that are two days old`, used, false, twoDaysOld),
    ];
  }),
];
