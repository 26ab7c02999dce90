import { seededRandom } from '../../src/core/Random.ts';
import { BUCKET_NAMES } from '../../src/engine/features/horizonBuckets.ts';
import type { RowSet } from '../data/RowSet.ts';
import type { TickSource } from '../data/TickSource.ts';
import { brier, logLoss } from '../metrics/probability.ts';
import type { ReportTable } from '../report/ReportData.ts';
import { directionTest } from './directionTest.ts';
import { reliabilityBins, comparisonTable, groupTable, markTables, outcomeTables } from './scoreTables.ts';
import { compareScores, entriesOf, horizonOf, labelsOf, type Scores } from './Scores.ts';

const HOUR_US = 3_600_000_000;

/**
 * The tables of one view of a version: pooled; origins with a price and with a move; base rate; by horizon, instrument and hour;
 * reliability; direction.
 */
export function evaluationTables(view: string, rows: RowSet, scores: Scores, sources: readonly TickSource[], seed: number): ReportTable[] {
  const random = seededRandom(seed);
  if (scores.row.length === 0)
    return [
      {
        title: `Compared with EWMA, ${view}`,
        about: 'No origin counts: the version was trained on all of them, or there are too few.',
        head: [''],
        rows: [],
      },
    ];
  const group = (title: string, nameOf: (row: number) => string | number): ReportTable =>
    groupTable(`${title}, ${view}`, '', rows, scores, random, nameOf);
  return [
    comparisonTable(`Compared with EWMA, ${view}`, compareScores(rows, scores, 'ewma', entriesOf(scores), random), {
      model: 'this version',
      base: 'EWMA',
    }),
    baseRateTable(view, rows, scores),
    ...outcomeTables(rows, scores, random, `, ${view}`),
    ...markTables(rows, scores, `, ${view}`),
    group('By horizon (s)', (row) => horizonOf(rows, row)),
    group('By instrument', (row) => sources[rows.instrument[row] as number]?.name ?? ''),
    group('By hour of the day (UTC)', (row) => Math.floor((rows.originUs[row] as number) / HOUR_US) % 24),
    reliabilityTable(view, rows, scores),
    directionTable(view, rows, scores, seed),
  ];
}

/** Comparison with a constant probability: the fraction of opportunities among all of these rows. */
function baseRateTable(view: string, rows: RowSet, scores: Scores): ReportTable {
  const labels = labelsOf(rows, scores.row);
  const rate = labels.reduce((sum, label) => sum + label, 0) / labels.length;
  const constant = new Float64Array(labels.length).fill(rate);
  const row = (name: string, p: Float64Array): string[] => [
    name,
    logLoss(p, labels).toFixed(4),
    brier(p, labels).toFixed(4),
    `${(1 - brier(p, labels) / brier(constant, labels)).toFixed(4)}`,
  ];
  return {
    title: `Compared with the base rate, ${view}`,
    about: `${labels.length} origins, of which ${(100 * rate).toFixed(1)} % are opportunities; the base rate is computed from the same rows, which is an advantage for it.`,
    head: ['', 'log-loss', 'Brier score', 'Brier skill over the base rate'],
    rows: [row('base rate', constant), row('EWMA', scores.ewma), row('this version', scores.candidate)],
  };
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

function directionTable(view: string, rows: RowSet, scores: Scores, seed: number): ReportTable {
  return {
    title: `Direction on opportunities, ${view}`,
    about: 'More than 3 standard errors from 0.5 indicate a leak until shown otherwise.',
    head: ['head', 'opportunities', 'AUC', 'standard error of chance', 'lower bound after Holm'],
    rows: directionTest(rows, scores, seededRandom(seed)).map(({ head, n, auc, standardError, lower }) => [
      BUCKET_NAMES[head] ?? String(head),
      String(n),
      ...[auc, standardError, lower].map((value) => (Number.isFinite(value) ? value.toFixed(3) : '–')),
    ]),
  };
}
