import type { Random } from '../../src/core/Random.ts';
import type { RowSet } from '../data/RowSet.ts';
import { fixed, signed } from '../metrics/formatComparison.ts';
import type { ReportTable } from '../report/ReportData.ts';
import { boundScores, type Scores } from './Scores.ts';
import { linesByHorizon } from './scoreTables.ts';

/** What the closes of the day before add, by horizon: the version with them against itself without them, which is `scores.served`. */
export function closesTable(view: string, rows: RowSet, scores: Scores, usesRecent: Uint8Array, random: Random): ReportTable {
  const line = (name: string, members: Int32Array): string[] => {
    const { n, intervals, isUnderpowered } = boundScores(rows, scores, 'served', members, random);
    const { aucBase, aucModel, aucDifference, brierSkill } = intervals;
    const used = members.reduce((sum, at) => sum + usesRecent[scores.row[at]!]!, 0);
    const gain = ({ estimate, lower90OneSided }: typeof brierSkill): string => `${signed(estimate, 4)} (≥ ${signed(lower90OneSided, 4)})`;
    return [
      ...[name, String(n), `${fixed((100 * used) / n, 1)} %`, fixed(aucBase.estimate, 3), fixed(aucModel.estimate, 3)],
      ...[gain(aucDifference), gain(brierSkill), isUnderpowered ? 'underpowered' : ''],
    ];
  };
  return {
    title: `With the closes of the day before against without, ${view}`,
    about:
      'The closes are the last prices of the minutes before each window, from the same files. Without enough of them, or if the head gains nothing from them, the answer is the same.',
    head: ['horizon (s)', 'origins', 'closes used', 'AUC without', 'AUC with', 'AUC difference', 'Brier skill', ''],
    rows: linesByHorizon(rows, scores, line),
  };
}
