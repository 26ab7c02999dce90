import { BUCKET_NAMES } from '../../src/engine/features/horizonBuckets.ts';
import type { MinuteMoves } from '../../src/engine/features/learnProfile.ts';
import type { MarketHead, MarketWeights } from '../../src/engine/model/MarketModel.ts';
import type { HeadManifest } from '../../src/engine/model/ModelManifest.ts';
import type { RowSet } from '../data/RowSet.ts';
import { horizonOf } from '../evaluation/Scores.ts';
import { auc } from '../metrics/auc.ts';
import { signed } from '../metrics/formatComparison.ts';
import { fitLogistic, logisticLogits, sigmoid } from '../metrics/logistic.ts';
import type { ReportTable } from '../report/ReportData.ts';
import { type ClockRows, readClock, withRecent } from './clockRows.ts';
import { marketLogits } from './fitMarket.ts';
import type { LearnedMarket, ScoredRows } from './learnWeeks.ts';
import { type MarketExamples, marketExamples, mondayOf } from './marketExamples.ts';

/** Fewer windows of a cell are not printed. */
const LEAST_WINDOWS = 50;

type Gain = { readonly windows: number; readonly auc: number; readonly skill: number };

/** A fit on earlier weeks, and rows of later ones. */
type Tested = {
  readonly train: ScoredRows;
  readonly test: ScoredRows;
  readonly learned: LearnedMarket;
  readonly parents: readonly HeadManifest[];
  /** 1 for test rows that do not count. */
  readonly seen: Uint8Array;
  /** Of all weeks. */
  readonly moves: MinuteMoves;
};

const ABOUT =
  'Against the EWMA logistic of the same training weeks. θ* is the default threshold of each window; a part of the gain there is that θ* is noisy in a short window. The fixed threshold is the median θ* of the training weeks. Weeks start on Monday.';

/**
 * Gain over the EWMA logistic of the same weeks, by week and horizon, at theta* and at the median theta of the training weeks: with the
 * stored level, and with the level of the day before each window.
 */
export function gainTables(tested: Tested): ReportTable[] {
  const { test, learned, moves } = tested;
  const clock = readClock(test.rows, test.predicted.index, learned.profile, moves);
  return [
    gainTable('Gain by horizon and week', tested, clock, (head) => head?.fresh ?? null),
    gainTable('Gain by horizon and week with closes of the day before', tested, withRecent(clock), (head) => head?.recent?.weights ?? null),
  ];
}

function gainTable(
  title: string,
  { train, test, learned: { heads, usual }, parents, seen }: Tested,
  clock: ClockRows,
  weightsOf: (head: MarketHead | null) => MarketWeights | null,
): ReportTable {
  const rows = parents.flatMap((parent, at) => {
    const [atDefault, atUsual] = [null, usual[at] as number].map((theta) => {
      const examples = marketExamples(test.rows, test.predicted, clock, parent, at, theta);
      const weights = weightsOf(heads[at] ?? null);
      const logits = weights === null ? examples.base : marketLogits(examples, weights);
      return { examples, logits, ewma: ewmaLogits(train.rows, test, examples, at, theta) };
    }) as [Scored, Scored];
    const rowOf = (i: number): number => test.predicted.index[atDefault.examples.at[i]!]!;
    const counted = [...atDefault.examples.label.keys()].filter((i) => seen[rowOf(i)] === 0);
    const horizons = [...new Set(counted.map((i) => horizonOf(test.rows, rowOf(i))))].sort((a, b) => a - b);
    return horizons.flatMap((horizonS) => {
      const ofHorizon = counted.filter((i) => horizonOf(test.rows, rowOf(i)) === horizonS);
      const weeks = [...new Set(ofHorizon.map((i) => atDefault.examples.week[i]!))].sort((a, b) => a - b);
      const line = (week: string, members: readonly number[]): string[][] =>
        members.length < LEAST_WINDOWS
          ? []
          : [
              [
                `${horizonS} s`,
                BUCKET_NAMES[at] ?? '',
                week,
                String(members.length),
                ...[atDefault, atUsual].flatMap((of) => cells(gainOf(of, members))),
              ],
            ];
      return [
        ...line('all', ofHorizon),
        ...weeks.flatMap((week) =>
          line(
            mondayOf(week),
            ofHorizon.filter((i) => atDefault.examples.week[i] === week),
          ),
        ),
      ];
    });
  });
  return {
    title,
    about: ABOUT,
    head: ['horizon', 'head', 'week', 'windows', 'AUC at θ*', 'Brier skill at θ*', 'AUC at fixed θ', 'Brier skill at fixed θ'],
    rows,
  };
}

type Scored = { readonly examples: MarketExamples; readonly logits: Float64Array; readonly ewma: Float64Array };

const cells = ({ auc: gain, skill }: Gain): string[] => [gain, skill].map((value) => (Number.isFinite(value) ? signed(value, 3) : '–'));

function gainOf({ examples: { label }, logits, ewma }: Scored, members: readonly number[]): Gain {
  const y = Uint8Array.from(members, (i) => label[i]!);
  const [own, other] = [logits, ewma].map((of) => Float64Array.from(members, (i) => sigmoid(of[i]!))) as [Float64Array, Float64Array];
  const errors = (p: Float64Array): number => p.reduce((sum, value, i) => sum + (value - y[i]!) ** 2, 0);
  return { windows: members.length, auc: auc(own, y) - auc(other, y), skill: 1 - errors(own) / errors(other) };
}

/** Log-odds of the EWMA logistic of one bucket at theta*, or at the fixed threshold `usual` sqrt(H). */
function ewmaLogits(
  train: RowSet,
  { rows, predicted }: ScoredRows,
  { at }: MarketExamples,
  head: number,
  usual: number | null,
): Float64Array {
  const thetaOf = (of: RowSet, row: number): number => (usual === null ? of.thetaDefault[row]! : usual * Math.sqrt(of.horizonS[row]!));
  const input = (of: RowSet, row: number): number => of.baseline[row * of.draws]! + Math.log(of.thetaDefault[row]! / thetaOf(of, row));
  const members = [...train.head.keys()].filter((row) => train.head[row] === head);
  const fit = fitLogistic(
    Float64Array.from(members, (row) => input(train, row)),
    members.length,
    1,
    Uint8Array.from(members, (row) => (Math.abs(train.move[row]!) > thetaOf(train, row) ? 1 : 0)),
  );
  return logisticLogits(
    fit,
    Float64Array.from(at, (i) => input(rows, predicted.index[i]!)),
    at.length,
  );
}
