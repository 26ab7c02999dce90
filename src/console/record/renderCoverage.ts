import { coverageShare } from '../../engine/scoring/coverage.ts';
import { countText, percentText } from '../answer/describeAnswer.ts';
import { NUMBER, stepText, tableOf } from '../dom/element.ts';
import type { RecordRow } from './concludeRecord.ts';
import { coverageOf } from './recordBins.ts';
import { groupHead } from './renderRecord.ts';
import { FIRST_HEAD, type Grouping, groupRows } from './groupRecord.ts';

/** How many moves stayed within the ranges: a row for each group, a column for each level; null without a range. */
export function renderCoverage(rows: readonly RecordRow[], by: Grouping, most: number): HTMLElement | null {
  const levels = coverageOf(rows).map(({ level }) => level);
  if (levels.length === 0) return null;
  const groups = groupRows(rows, by)
    .map(({ name, rows: some }) => ({ name, coverage: coverageOf(some) }))
    .filter(({ coverage }) => coverage.length > 0)
    .slice(0, most);
  return tableOf(
    `Moves within their ranges by ${FIRST_HEAD[by].toLowerCase()}`,
    [[FIRST_HEAD[by], 'group-name wide'], ...levels.map((level) => [`${Math.round(level * 100)} % ranges`, NUMBER] as const)],
    groups.map(({ name, coverage }) => [
      groupHead(name),
      ...levels.map((level) => {
        const found = coverage.find((one) => one.level === level);
        if (found === undefined) return '–';
        const { share, interval } = coverageShare(found);
        return [percentText(share), stepText(`${interval.map(percentText).join(' to ')}, ${countText(found.outcomes, 'range')}`)];
      }),
    ]),
    'scores stacked',
  );
}
