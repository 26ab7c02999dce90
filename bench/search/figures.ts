import { seededRandom } from '../../src/core/Random.ts';
import { BUCKET_NAMES } from '../../src/engine/features/horizonBuckets.ts';
import type { RowSet } from '../../training/data/RowSet.ts';
import { cellId, horizonOf, instrumentClusters, labelsOf } from '../../training/evaluation/Scores.ts';
import { comparePaired, type PairedComparison } from '../../training/metrics/comparePaired.ts';
import { sigmoid } from '../../training/metrics/logistic.ts';

/** Residuals of networks on groups that they never saw, at the default threshold; all columns have one entry for each row. */
export type LeftOut = {
  readonly row: Int32Array;
  readonly fold: Uint8Array;
  /** Logit of the EWMA logistic, fitted on the training rows of the fold. */
  readonly baseline: Float32Array;
  /** One residual for each member of a mix. */
  readonly residuals: readonly Float32Array[];
};

export type Figures = Readonly<Record<string, number>>;

const HOUR_US = 3_600_000_000;
const DRAWS = 40;
const MAX_FACTOR = 1.5;
const SWEEPS = 40;

/** Factors of the residuals of one head, 0 to 1.5, by coordinate-wise Newton steps on the cross entropy. */
function fitFactors(out: LeftOut, label: Uint8Array, members: Int32Array): number[] {
  const factors = out.residuals.map(() => 1 / out.residuals.length);
  const logit = Float64Array.from(members, (at) => logitOf(out, at, factors));
  const prior = 1 / out.residuals.length;
  for (let sweep = 0, largest = Infinity; sweep < SWEEPS && largest > 1e-6; sweep++) {
    largest = 0;
    out.residuals.forEach((residual, m) => {
      let [slope, curvature] = [(factors[m] as number) - prior, 1];
      members.forEach((at, i) => {
        const p = sigmoid(logit[i] as number);
        const r = residual[at] as number;
        slope += r * (p - (label[at] as number));
        curvature += r * r * p * (1 - p);
      });
      const next = Math.min(MAX_FACTOR, Math.max(0, (factors[m] as number) - slope / curvature));
      const change = next - (factors[m] as number);
      factors[m] = next;
      largest = Math.max(largest, Math.abs(change));
      if (change !== 0) members.forEach((at, i) => (logit[i] = (logit[i] as number) + change * (residual[at] as number)));
    });
  }
  return factors;
}

const logitOf = ({ baseline, residuals }: LeftOut, at: number, factors: readonly number[]): number =>
  residuals.reduce((sum, residual, m) => sum + (factors[m] as number) * (residual[at] as number), baseline[at] as number);

/**
 * The figures of a trial: the factors of each group come from the other groups, or are the fixed `weights`; a head that is not better than
 * the baseline gets none.
 */
export function figuresOf(rows: RowSet, out: LeftOut, classOf: (instrument: number) => string, weights?: readonly number[]): Figures {
  const label = labelsOf(rows, out.row);
  const all = Int32Array.from(out.row.keys());
  const p = Float64Array.from(all, (at) => sigmoid(out.baseline[at] as number));
  const pBase = p.slice();
  const figures: Record<string, number> = {};
  const compare = (members: Int32Array, draws: number): PairedComparison => {
    const rowOf = members.map((at) => out.row[at] as number);
    return comparePaired(
      {
        p: Float64Array.from(members, (at) => p[at] as number),
        pBase: Float64Array.from(members, (at) => pBase[at] as number),
        y: Uint8Array.from(members, (at) => label[at] as number),
        cluster: instrumentClusters(rows, rowOf, HOUR_US),
        cell: Int32Array.from(rowOf, (row) => cellId(rows.instrument[row] as number, horizonOf(rows, row))),
      },
      { random: seededRandom(1), draws },
    );
  };
  BUCKET_NAMES.forEach((name, head) => {
    const members = all.filter((at) => rows.head[out.row[at] as number] === head);
    if (members.length === 0) return;
    for (const fold of new Set(out.fold)) {
      const others = members.filter((at) => out.fold[at] !== fold);
      const factors = weights ?? fitFactors(out, label, others);
      for (const at of members) if (out.fold[at] === fold) p[at] = sigmoid(logitOf(out, at, factors));
    }
    (weights ?? fitFactors(out, label, members)).forEach((factor, m) => (figures[`factor_${name}_${m}`] = factor));
    const { intervals, cellAuc } = compare(members, 1);
    figures[`auc_${name}`] = intervals.aucDifference.estimate;
    figures[`cells_${name}`] = cellAuc.model - cellAuc.base;
    figures[`skill_${name}`] = intervals.brierSkill.estimate;
    if (!(intervals.aucDifference.estimate > 0 && intervals.brierSkill.estimate > 0)) for (const at of members) p[at] = pBase[at] as number;
  });
  const { intervals, cellAuc, ece, precision } = compare(all, 1);
  const classes = new Map<string, number[]>();
  for (const at of all) {
    const name = classOf(rows.instrument[out.row[at] as number] as number);
    classes.set(name, push(classes.get(name), at));
  }
  for (const [name, list] of classes)
    figures[`class_${name}`] = compare(Int32Array.from(list), DRAWS).intervals.aucDifference.lower90OneSided;
  return {
    auc: intervals.aucDifference.estimate,
    cells: cellAuc.model - cellAuc.base,
    skill: intervals.brierSkill.estimate,
    ece: ece.model,
    precision10: precision[2]?.model ?? NaN,
    precision10Ewma: precision[2]?.base ?? NaN,
    ...figures,
  };
}

function push(list: number[] | undefined, value: number): number[] {
  if (list === undefined) return [value];
  list.push(value);
  return list;
}
