import { seededRandom } from '../../src/core/Random.ts';
import { MIN_CLUSTERS } from '../../src/engine/scoring/clusterBootstrap.ts';
import {
  concludedOf,
  concludedText,
  intervalText,
  type Rival,
  RIVAL_NAMES,
  RIVALS,
  strongestOf,
} from '../../src/engine/scoring/conclusions.ts';
import type { MemoryLine } from '../../src/engine/memory/memoryLine.ts';
import type { RowSet } from '../data/RowSet.ts';
import type { TickSource } from '../data/TickSource.ts';
import { asServed } from '../evaluation/asServed.ts';
import type { Placebo } from '../evaluation/gate.ts';
import { compareAsServed, type Compared } from '../evaluation/compareAsServed.ts';
import { permuteMoves } from '../evaluation/permutedPlacebo.ts';
import { horizonOf, labelsOf, type Scores } from '../evaluation/Scores.ts';
import type { PairedComparison } from '../metrics/comparePaired.ts';
import { fixed } from '../metrics/formatComparison.ts';
import { chanceTest } from '../placebos/scoreRows.ts';
import type { ReportTable } from '../report/ReportData.ts';
import { allRows } from '../splits/planFolds.ts';

/** The probabilities of a model for the same rows as those of the others. */
export type AnsweredModel = {
  readonly name: string;
  /** By row; null: it has none, for the reason of `fault`. */
  readonly p: Float64Array | null;
  readonly fault: string | null;
  /** The line of the memory that a version is served with. */
  readonly line?: MemoryLine | undefined;
  readonly msPerWindow: number;
  readonly checks: readonly Placebo[];
};

export type ScoreInput = {
  readonly rows: RowSet;
  readonly sources: readonly TickSource[];
  /** The volatility baseline by row, which is not finite where a row does not count. */
  readonly ewma: Float64Array;
  /** The rows that count. */
  readonly counting: Int32Array;
  readonly seed: number;
};

/** A model as it is compared: with the memory of the series, if it has one. */
export type ServedModel = Omit<AnsweredModel, 'p' | 'line'> & { readonly p: Float64Array };

/** The answers of a model as they are served, and whether they find what is not there. */
export function serveModel(input: ScoreInput, model: AnsweredModel & { readonly p: Float64Array }): ServedModel {
  const { candidate } = asServed(scoresInput(input, model.p, model.line));
  const { rows, counting, seed } = input;
  const labels = labelsOf(permuteMoves(rows, seededRandom(seed)), counting);
  const { auc, allowed, n } = chanceTest(
    Float64Array.from(counting, (row) => candidate[row]),
    labels,
  );
  const permuted = {
    name: 'Permuted outcomes',
    holds: Math.abs(auc - 0.5) <= allowed,
    text: `AUC ${auc.toFixed(3)} on ${n} windows with permuted outcomes; chance is 0.500 ± ${allowed.toFixed(3)}`,
  };
  return { ...model, p: candidate, checks: [...model.checks, permuted] };
}

function scoresInput(
  { rows, sources, ewma }: ScoreInput,
  p: Float64Array,
  line: MemoryLine | undefined,
  served: Float64Array | null = null,
) {
  const nothing = { baseRate: null, directionLogit: new Float64Array(rows.count), marked: null, servedMarked: null };
  const alone: Scores = { row: allRows(rows), candidate: p, ewma, served, ...nothing };
  return { rows, sources, alone, lines: { candidate: line, served: undefined }, marks: () => null };
}

/** A line of the table; `reference`: how much better the first model is. */
export type ModelLine = { readonly model: ServedModel; readonly compared: Compared; readonly rival: Rival; readonly interval: Interval };
type Interval = { readonly estimate: number; readonly of95: readonly [number, number] | null };

/** Compares each model on the rows at `members`, by the code that evaluates a version for the promotion gate. */
export function scoreModels(input: ScoreInput, models: readonly ServedModel[], members: Int32Array): ModelLine[] {
  const [first] = models;
  return models.map((model) => {
    const scores = scoresInput(input, model.p, undefined, model === first ? null : first.p);
    const compared = compareAsServed(input.rows, asServed(scores), scores.alone, members, seededRandom(input.seed));
    const rival = strongestOf(compared.baselines, ({ intervals }) => intervals.brierSkill.estimate)!;
    return { model, compared, rival, interval: skillOf(compared.baselines[rival]) };
  });
}

/** By day where there are days enough, else by hour; no interval of too few. */
function skillOf({ intervals, dayIntervals, clusters }: PairedComparison): Interval {
  const { estimate, lower95, upper95 } = (dayIntervals ?? intervals).brierSkill;
  return { estimate, of95: dayIntervals === null && clusters < MIN_CLUSTERS ? null : [lower95, upper95] };
}

/** `–`: of the baselines themselves, or not measured. */
const NOTHING = '–';

/** All models side by side: those with figures, the baselines, then those without and why. */
export function modelTable(title: string, lines: readonly ModelLine[], failed: readonly AnsweredModel[]): ReportTable {
  const [first] = lines;
  const over = lines.length > 1 ? [`skill of ${first.model.name} over it`] : [];
  const rows = lines.map(({ model, compared, rival, interval }) => {
    const { intervals, ece } = compared.baselines[rival];
    const behind = compared.served === null ? null : skillOf(compared.served);
    // From the other side: the served one is the first model.
    const ahead = behind === null ? NOTHING : intervalText(...turned(behind), 95);
    const broken = model.checks.filter(({ holds }) => !holds).map(({ name }) => name);
    return [
      model.name,
      intervalText(interval.estimate, interval.of95, 95),
      concludedText(concludedOf(interval.of95), rival),
      intervals.aucModel.estimate.toFixed(3),
      ece.model.toFixed(4),
      fixed(model.msPerWindow, 2),
      ...(over.length > 0 ? [ahead] : []),
      broken.length > 0 ? `FAIL: ${broken.join(', ')}` : model.checks.length > 1 ? 'hold' : 'not possible',
    ];
  });
  const baselines = RIVALS.map((rival) => {
    const { intervals, ece } = first.compared.baselines[rival];
    return [
      RIVAL_NAMES[rival],
      NOTHING,
      NOTHING,
      intervals.aucBase.estimate.toFixed(3),
      ece.base.toFixed(4),
      NOTHING,
      ...over.map(() => NOTHING),
      NOTHING,
    ];
  });
  const { n, baseRate, clusters } = first.compared.baselines.baseline;
  const by = first.compared.baselines.baseline.dayIntervals === null ? 'hour' : 'day';
  return {
    title,
    about: `${n} origins, base rate ${baseRate.toFixed(3)}, ${clusters} clusters of (instrument, hour); intervals by ${by}.`,
    head: [
      'model',
      'Brier skill over the better baseline',
      'conclusion',
      'AUC',
      'calibration error',
      'ms a window',
      ...over,
      'leak test and placebos',
    ],
    rows: [
      ...rows,
      ...baselines,
      ...failed.map(({ name, fault }) => [name, 'no figures', `it ${fault}`, '', '', '', ...over.map(() => ''), NOTHING]),
    ],
  };
}

/** 1 − a/b of the ratio that `of` is 1 − b/a of. */
function turned({ estimate, of95 }: Interval): [number, readonly [number, number] | null] {
  const turn = (skill: number): number => 1 - 1 / (1 - skill);
  return [turn(estimate), of95 === null ? null : [turn(of95[1]), turn(of95[0])]];
}

/** The rows that count, by horizon. */
export function membersByHorizon({ rows, counting }: ScoreInput): [name: string, members: Int32Array][] {
  const horizons = [...new Set(Array.from(counting, (row) => horizonOf(rows, row)))].sort((a, b) => a - b);
  const each = horizons.map((s): [string, Int32Array] => [`${s} s`, counting.filter((row) => horizonOf(rows, row) === s)]);
  return horizons.length === 1 ? each : [['all horizons', counting], ...each];
}
