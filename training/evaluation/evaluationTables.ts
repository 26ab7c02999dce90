import { seededRandom } from '../../src/core/Random.ts';
import type { RowSet } from '../data/RowSet.ts';
import type { TickSource } from '../data/TickSource.ts';
import type { ReportTable } from '../report/ReportData.ts';
import { DIRECTION_HEAD, directionCells, directionTest } from './directionTest.ts';
import { reliabilityBins, comparisonTable, groupTable, markTables, outcomeTables } from './scoreTables.ts';
import { baselineTables, type Compared } from './compareAsServed.ts';
import { RIVAL_NAMES } from '../../src/engine/scoring/conclusions.ts';
import { horizonOf, labelsOf, type Scores } from './Scores.ts';

const HOUR_US = 3_600_000_000;

/**
 * The tables of one view of a version: pooled, as served and alone; origins with a price and with a move; by horizon, instrument and hour;
 * reliability; direction.
 */
export function evaluationTables(
  view: string,
  rows: RowSet,
  compared: Compared,
  sources: readonly TickSource[],
  seed: number,
): ReportTable[] {
  const random = seededRandom(seed);
  const { scores, baselines, alone } = compared;
  if (scores.row.length === 0)
    return [
      {
        title: `Compared with the baselines, ${view}`,
        about: 'No origin counts: the version was trained on all of them, or there are too few.',
        head: [''],
        rows: [],
      },
    ];
  const group = (title: string, nameOf: (row: number) => string | number): ReportTable =>
    groupTable(`${title}, ${view}`, '', rows, scores, random, nameOf);
  return [
    ...baselineTables(baselines, (rival) => `As served, compared with ${RIVAL_NAMES[rival]}, ${view}`),
    comparisonTable(`Windows alone, compared with EWMA, ${view}`, alone.ewma, { model: 'this version', base: 'EWMA' }),
    ...outcomeTables(rows, scores, random, `, ${view}`),
    ...markTables(rows, scores, `, ${view}`),
    group('By horizon (s)', (row) => horizonOf(rows, row)),
    group('By instrument', (row) => sources[rows.instrument[row] as number]?.name ?? ''),
    group('By hour of the day (UTC)', (row) => Math.floor((rows.originUs[row] as number) / HOUR_US) % 24),
    reliabilityTable(view, rows, scores),
    {
      title: `Direction on opportunities, ${view}`,
      about: 'More than 3 standard errors from 0.5 indicate a leak until shown otherwise.',
      head: [...DIRECTION_HEAD, 'lower bound after Holm'],
      rows: directionTest(rows, scores, seededRandom(seed)).map(directionCells),
    },
  ];
}

function reliabilityTable(view: string, rows: RowSet, scores: Scores): ReportTable {
  const bins = reliabilityBins(scores.candidate, labelsOf(rows, scores.row));
  return {
    title: `Reliability, ${view}`,
    about: 'Bins of equal mass; the interval is the 90 % Wilson interval of the observed fraction.',
    head: ['said', 'came', 'interval', 'origins'],
    rows: bins.map(({ p, rate, low, high, n }) => [p.toFixed(3), rate.toFixed(3), `${low.toFixed(3)} to ${high.toFixed(3)}`, String(n)]),
  };
}
