import type { Random } from '../../src/core/Random.ts';
import { BUCKET_NAMES } from '../../src/engine/features/horizonBuckets.ts';
import type { RowSet } from '../data/RowSet.ts';
import { auc, aucStandardError, preparedAuc } from '../metrics/auc.ts';
import { fixed } from '../metrics/formatComparison.ts';
import { clusterBootstrap } from '../../src/engine/scoring/clusterBootstrap.ts';
import { labelsOf, type Scores } from './Scores.ts';

export type HeadDirection = {
  readonly head: number;
  readonly n: number;
  readonly auc: number;
  /** Standard error of chance: sqrt((n1 + n0 + 1) / (12 n1 n0)). */
  readonly standardError: number;
  /** One-sided lower bound over hours, at the level of Holm's correction for this head. */
  readonly lower: number;
  /** Above chance after Holm's correction over the heads. */
  readonly passed: boolean;
};

/** The first columns of a table of heads; the lower bound is the last one. */
export const DIRECTION_HEAD = ['head', 'opportunities', 'AUC', 'standard error of chance'] as const;
export const directionCells = ({ head, n, auc: value, standardError, lower }: HeadDirection): string[] => [
  BUCKET_NAMES[head] ?? String(head),
  String(n),
  ...[value, standardError, lower].map((figure) => fixed(figure, 3)),
];

/** z with P(Z > z) = 0.1 / n for the n-th entry: one for each number of heads that are still to pass. */
const Z_OF_HEADS = [1.2815515655, 1.644853627, 1.8339146355, 1.9599639845] as const;
const MIN_OF_EACH = 100;
const HOUR_US = 3_600_000_000;
const DRAWS = 1000;

/**
 * Direction AUC of each head on opportunities. An hour is one cluster, whatever the instrument: instruments of one market, such as a pair
 * at two brokers, move in the same direction at the same time. A head passes if its lower bound is above 0.5 after Holm's step-down correction (Holm 1979):
 * the bound of the best head has the level 0.1 / heads, that of the next 0.1 / (heads - 1), and after the first failure all fail.
 */
export function directionTest(rows: RowSet, scores: Scores, random: Random): HeadDirection[] {
  const labels = labelsOf(rows, scores.row);
  const tested = [...new Set(scores.row.map((row) => rows.head[row] as number))]
    .sort((a, b) => a - b)
    .map((head) => {
      const members = Array.from(scores.row.keys()).filter((at) => labels[at] === 1 && rows.head[scores.row[at] as number] === head);
      const logits = Float64Array.from(members, (at) => scores.directionLogit[at] as number);
      const up = Uint8Array.from(members, (at) => ((rows.move[scores.row[at] as number] as number) > 0 ? 1 : 0));
      const ups = up.reduce((sum, flag) => sum + flag, 0);
      const hours = Int32Array.from(members, (at) => Math.floor((rows.originUs[scores.row[at] as number] as number) / HOUR_US));
      const isEnough = Math.min(ups, up.length - ups) >= MIN_OF_EACH;
      const interval = isEnough ? clusterBootstrap(hours, preparedAuc(logits, up), { draws: DRAWS, random }) : undefined;
      const value = up.length > 0 ? auc(logits, up) : NaN;
      return { head, n: up.length, auc: value, standardError: aucStandardError(ups, up.length - ups), se: interval?.se ?? NaN };
    });
  return holm(tested);
}

type Tested = Omit<HeadDirection, 'lower' | 'passed'> & { readonly se: number };

function holm(tested: readonly Tested[]): HeadDirection[] {
  const strength = ({ auc: value, se }: Tested): number => (Number.isFinite(se) ? (value - 0.5) / se : -Infinity);
  const ordered = [...tested].sort((a, b) => strength(b) - strength(a));
  let stillPassing = true;
  return ordered
    .map(({ se, ...head }, place): HeadDirection => {
      const lower = head.auc - Z_OF_HEADS[ordered.length - place - 1] * se;
      stillPassing &&= lower > 0.5;
      return { ...head, lower, passed: stillPassing };
    })
    .sort((a, b) => a.head - b.head);
}
