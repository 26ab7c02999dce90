import { seededRandom } from '../src/core/Random.ts';
import type { Candidate } from './Candidate.ts';
import { comparisonTable, groupTable, markTables, outcomeTables, reportCells, reportFigures } from './evaluation/scoreTables.ts';
import { DIRECTION_HEAD, directionCells } from './evaluation/directionTest.ts';
import { horizonOf, labelsOf } from './evaluation/Scores.ts';
import { testLengthOf } from './evaluation/fitTicks.ts';
import { inputDrift } from './evaluation/describeRun.ts';
import { baselineTables } from './evaluation/compareAsServed.ts';
import { RIVAL_NAMES } from '../src/engine/scoring/conclusions.ts';
import { describeSources, type Source } from './data/readSources.ts';
import type { RunPlan } from './planRun.ts';
import type { ReportData, ReportTable } from './report/ReportData.ts';
import { allRows } from './splits/planFolds.ts';
import type { TrainOptions } from './TrainOptions.ts';

const HOUR_US = 3_600_000_000;

/**
 * Tables of a candidate for card and report: pooled, by horizon, by market class where the sources name it, by instrument, by hour of the
 * day, and the training data.
 */
export function candidateTables(candidate: Candidate, plan: RunPlan, seed: number, known: readonly Source[] = []): ReportTable[] {
  const { compared, memory, seenToo, closes, against } = candidate;
  const { scores, baselines, served, alone } = compared;
  const { rows } = candidate.test;
  const random = seededRandom(seed);
  const name = (row: number): string => plan.sources[rows.instrument[row] as number]?.name ?? '';
  const markets = new Map(known.map(({ file, market }) => [file.split('/').at(-1), market]));
  const market = (row: number): string => markets.get(plan.sources[rows.instrument[row] as number]?.file.name) ?? 'not named';
  const ticksOf = (row: number): string => `${horizonOf(rows, row)} s, up to ${testLengthOf(rows, row)} ticks`;
  const group = (title: string, about: string, nameOf: (row: number) => string | number): ReportTable =>
    groupTable(title, about, rows, scores, random, nameOf);
  const how = memory === undefined ? ', which is without the memory of a series' : ', with the memory of the series';
  return [
    ...baselineTables(baselines, (rival) => `As served${how}: compared with ${RIVAL_NAMES[rival]}, on ticks that the model never saw`),
    ...(served === null
      ? []
      : [
          comparisonTable(`As served${how}: compared with ${against}, on the same origins`, served, {
            model: 'this version',
            base: String(against),
          }),
        ]),
    ...(seenToo === null
      ? []
      : [
          comparisonTable(`With the origins that ${against} was trained on (they do not count)`, seenToo, {
            model: 'this version',
            base: 'EWMA',
          }),
        ]),
    comparisonTable('Windows alone: compared with the EWMA volatility logistic', alone.ewma, { model: 'this version', base: 'EWMA' }),
    ...(alone.served === null
      ? []
      : [comparisonTable(`Windows alone: compared with ${against}`, alone.served, { model: 'this version', base: String(against) })]),
    ...(scores.row.length === 0
      ? []
      : [
          ...markTables(rows, scores, how),
          ...outcomeTables(rows, scores, random),
          group('By horizon', 'Seconds.', (row) => horizonOf(rows, row)),
          group('By horizon and number of ticks', 'Distinct timestamps of the window.', ticksOf),
          ...(known.some((source) => source.market !== undefined) ? [group('By market class', '', market)] : []),
          group('By instrument', '', name),
          group('By hour of the day', 'UTC.', (row) => Math.floor((rows.originUs[row] as number) / HOUR_US) % 24),
        ]),
    ...(closes === null
      ? []
      : [
          groupTable(
            'On one-minute closes',
            'The same networks with only the last tick of each minute. The gate does not use these windows.',
            rows,
            closes,
            random,
            (row) => `${horizonOf(rows, row)} s`,
          ),
        ]),
    ...(candidate.directions.length === 0 ? [] : [directionTable(candidate)]),
    sourceTable(plan, candidate),
  ];
}

function directionTable({ directions }: Candidate): ReportTable {
  return {
    title: 'Direction',
    about:
      'AUC of the direction on opportunities. A head states a direction only if its lower bound is above 0.5 after Holm’s correction over the heads. More than 3 standard errors from 0.5 indicate a leak until shown otherwise.',
    head: [...DIRECTION_HEAD, 'lower bound', 'states a direction'],
    rows: directions.map((direction) => [...directionCells(direction), direction.passed ? 'yes' : 'no']),
  };
}

function sourceTable({ sources }: RunPlan, { train, test }: Candidate): ReportTable {
  const countOf = (rows: typeof train.rows, at: number): string =>
    String(rows.instrument.reduce((sum, of) => sum + (of === at ? 1 : 0), 0));
  return {
    title: 'Ticks',
    about: 'Series of one group move together and are never on both sides of a split.',
    head: ['series', 'group', 'ticks', 'from', 'to', 'median gap', 'training rows', 'test rows'],
    rows: describeSources(sources).map((source, at) => [
      source.name,
      source.group,
      source.rows.toLocaleString('en-US'),
      source.from,
      source.to,
      `${source.medianGapS.toPrecision(3)} s`,
      countOf(train.rows, at),
      countOf(test.rows, at),
    ]),
  };
}

export type ReportText = {
  readonly tables: readonly ReportTable[];
  readonly createdAt: string;
  readonly nextSteps: readonly string[];
  readonly setting: readonly string[];
};

/** All data of the HTML report of a run. */
export function buildReport(candidate: Candidate, options: TrainOptions, plan: RunPlan, text: ReportText): ReportData {
  const { compared, train, test, results, verdict } = candidate;
  const { scores } = compared;
  const named = [
    { name: 'this version', p: scores.candidate },
    { name: 'recalibrated EWMA', p: scores.ewma },
    ...(scores.served === null ? [] : [{ name: String(candidate.against), p: scores.served }]),
  ];
  const { headline, checks, advice, passed } = verdict;
  return {
    id: options.id,
    createdAt: text.createdAt,
    kind: options.mode,
    synthetic: options.data.length === 0,
    command: options.command,
    verdict: { passed, headline, checks, advice },
    nextSteps: text.nextSteps,
    setting: text.setting,
    tables: text.tables,
    curves: results.map(({ name, training, validation, bestStep }) => ({ name, training, validation, bestStep })),
    ...reportFigures(labelsOf(test.rows, scores.row), named),
    cells: reportCells(
      test.rows,
      scores,
      plan.sources.map(({ name }) => name),
    ),
    drift: inputDrift(train.rows, allRows(train.rows), test.rows, scores.row),
    notes: [...plan.notes, ...candidate.notes],
  };
}

/** What a report says to type next. A version of generated ticks is never promoted: no command is named for it. */
export function nextSteps({ id, data }: Pick<TrainOptions, 'id' | 'data'>, passed: boolean): string[] {
  return [
    `curl -X POST 'http://127.0.0.1:8080/auth/ti-tick?model=${id}' …`,
    `npx tickmark models show ${id}`,
    ...(data.length === 0 ? [] : [`npx tickmark models promote ${id}${passed ? '' : ' --force'}`]),
  ];
}
