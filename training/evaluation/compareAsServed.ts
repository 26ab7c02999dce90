import type { Random } from '../../src/core/Random.ts';
import type { MemoryLine } from '../../src/engine/memory/memoryLine.ts';
import { MIN_CLUSTERS } from '../../src/engine/scoring/clusterBootstrap.ts';
import { concludedOf, concludedSentence, intervalText, type Rival, RIVALS, strongestOf } from '../../src/engine/scoring/conclusions.ts';
import type { RowSet } from '../data/RowSet.ts';
import type { PairedComparison } from '../metrics/comparePaired.ts';
import { brier } from '../metrics/probability.ts';
import { asServed, type AsServedInput } from './asServed.ts';
import { compareScores, entriesOf, labelsOf, type Scores, pickColumns } from './Scores.ts';
import type { ReportTable } from '../report/ReportData.ts';
import { comparisonTable, type MarkFigures, markFigures } from './scoreTables.ts';

/** A version as it is served and its windows alone, on the same origins. */
export type Compared = {
  readonly scores: Scores;
  readonly baselines: Readonly<Record<Rival, PairedComparison>>;
  /** Against the version that it would replace; null: there is none. */
  readonly served: PairedComparison | null;
  readonly alone: { readonly scores: Scores; readonly ewma: PairedComparison; readonly served: PairedComparison | null };
  /** Marks as served, of the version that would be replaced and of the candidate; null: not known. */
  readonly marks: { readonly before: MarkFigures | null; readonly after: MarkFigures | null };
};

/** Compares the entries at `at` of the same scores as served and alone. */
export function compareAsServed(rows: RowSet, served: Scores, alone: Scores, at: Int32Array, random: Random): Compared {
  const [scores, scoresAlone] = [pickColumns(served, at), pickColumns(alone, at)];
  const all = entriesOf(scores);
  const known = scores.served === null ? null : all.filter((i) => Number.isFinite(scores.served![i]));
  const againstServed = (of: Scores): PairedComparison | null =>
    known === null || known.length === 0 ? null : compareScores(rows, of, 'served', known, random);
  const figuresOf = (marked: Uint8Array | null): MarkFigures | null => (marked === null ? null : markFigures(rows, scores, marked));
  return {
    scores,
    baselines: {
      baseline: compareScores(rows, scores, 'ewma', all, random),
      base_rate: compareScores(rows, scores, 'baseRate', all, random),
    },
    served: againstServed(scores),
    alone: { scores: scoresAlone, ewma: compareScores(rows, scoresAlone, 'ewma', all, random), served: againstServed(scoresAlone) },
    marks: { before: figuresOf(scores.servedMarked), after: figuresOf(scores.marked) },
  };
}

const RIVAL_HEADS: Readonly<Record<Rival, string>> = { baseline: 'recalibrated EWMA', base_rate: 'base rate so far' };

/** Against both baselines; the first table says what follows for the probabilities, against the better one. */
export function baselineTables(baselines: Compared['baselines'], titleOf: (rival: Rival) => string): ReportTable[] {
  const rival = strongestOf(baselines, ({ intervals }) => intervals.brierSkill.estimate)!;
  const { intervals, dayIntervals, clusters } = baselines[rival];
  const { estimate, lower95, upper95 } = (dayIntervals ?? intervals).brierSkill;
  const interval = dayIntervals === null && clusters < MIN_CLUSTERS ? null : ([lower95, upper95] as const);
  const figures = `Brier skill ${intervalText(estimate, interval, 95)}${dayIntervals === null ? '' : ' by day'}`;
  const sentence = concludedSentence(concludedOf(interval), rival, figures);
  return RIVALS.map((of, at) => {
    const table = comparisonTable(titleOf(of), baselines[of], { model: 'this version', base: RIVAL_HEADS[of] });
    return at === 0 ? { ...table, about: `${table.about} ${sentence}` } : table;
  });
}

export type CheckedLine = { readonly scores: Scores; readonly line: MemoryLine | undefined; readonly notes: readonly string[] };

/** The scores as served. A line of the memory that makes the candidate worse than its windows alone is not kept: it was fitted to another version. */
export function checkLine(input: AsServedInput): CheckedLine {
  const { rows, alone, lines } = input;
  const scores = asServed(input);
  if (lines.candidate === undefined || alone.row.length === 0) return { scores, line: lines.candidate, notes: [] };
  const labels = labelsOf(rows, alone.row);
  const [withLine, without] = [brier(scores.candidate, labels), brier(alone.candidate, labels)];
  const figures = `Brier score ${withLine.toFixed(4)} with the memory of the series, ${without.toFixed(4)} for windows alone`;
  if (withLine <= without) return { scores, line: lines.candidate, notes: [`The line of the memory holds for this version: ${figures}.`] };
  return {
    scores: asServed({ ...input, lines: { ...lines, candidate: undefined } }),
    line: undefined,
    notes: [`The version does not use the memory of a series, which makes it worse: ${figures}.`],
  };
}
