import type { ModelFolder } from '../../src/engine/model/modelFiles.ts';
import type { RowSet } from '../data/RowSet.ts';
import type { PredictedRows } from '../loop/predictRows.ts';
import { logOdds, sigmoid } from '../metrics/logistic.ts';
import { markRows } from './scoreTables.ts';
import { calibratedProbabilities } from './scoresOutOfFold.ts';

/** What a version answers at the default threshold, one entry per row of `predicted.index`, without rules. */
export type VersionAnswers = {
  readonly p: Float64Array;
  /** 1 where it gives a mark. */
  readonly marked: Uint8Array;
  /** 1 where the level of the day before the window was used. */
  readonly usesRecent: Uint8Array;
};

/**
 * The network of a version, with the time of day where the version has a market, as in service: the base answers where the market does not.
 * `recentOf`: the level of the day before the window of a row, as a caller who sends closes gives it; null if it is unknown.
 */
export function versionProbabilities(
  { manifest, market }: Pick<ModelFolder, 'manifest' | 'market'>,
  rows: RowSet,
  predicted: PredictedRows,
  recentOf: (row: number) => number | null = () => null,
): VersionAnswers {
  const { index } = predicted;
  const p = calibratedProbabilities(manifest.heads, rows, predicted);
  const marked = markRows(manifest.heads, rows, index, p);
  const usesRecent = new Uint8Array(index.length);
  if (market === undefined) return { p, marked, usesRecent };
  index.forEach((row, i) => {
    const point = market.at(rows.originUs[row]!, rows.windowS[row]!, rows.horizonS[row]!, rows.head[row]!, recentOf(row));
    if (point === 'clock_mismatch') marked[i] = 0;
    if (typeof point === 'string') return;
    usesRecent[i] = point.usesRecent ? 1 : 0;
    p[i] = sigmoid(point.logit(logOdds(p[i]!), Math.log(rows.thetaDefault[row]!)));
    const least = point.cut;
    marked[i] = least !== null && p[i]! >= least ? 1 : 0;
  });
  return { p, marked, usesRecent };
}
