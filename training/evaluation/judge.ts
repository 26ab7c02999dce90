import { seededRandom, type Random } from '../../src/core/Random.ts';
import { BUCKET_NAMES } from '../../src/model/NetworkSpec.ts';
import type { Instrument } from '../data/Instrument.ts';
import type { RowSet } from '../data/RowSet.ts';
import { auc, aucStandardError } from '../metrics/auc.ts';
import { comparePaired, type PairedComparison } from '../metrics/comparePaired.ts';
import { formatComparison } from '../metrics/formatComparison.ts';
import { sigmoid } from '../metrics/logistic.ts';
import { instrumentClusters } from './instrumentClusters.ts';
import { crossCalibrated, type OutOfFold } from './outOfFold.ts';

export type Judgement = {
  /** Markdown: the pooled table, one line a horizon, one line a counted cell. */
  readonly table: string;
  /** Pooled AUC, cell AUC (where a cell counts) and Brier skill at or above the EWMA logistic's. */
  readonly atOrAboveBaseline: boolean;
  readonly notes: readonly string[];
};

/** The pooled table holds these horizons; longer ones have few origins and stand apart. */
const POOLED_UP_TO_S = 300;
const HOURS_US = 3_600_000_000;
const BOOTSTRAP_DRAWS = 400;

/** The network beside the EWMA logistic on left-out rows at the default threshold. Evaluation protocol, section 4. */
export function judge(rows: RowSet, out: OutOfFold, instruments: readonly Instrument[], seed: number): Judgement {
  const random = seededRandom(seed);
  const p = crossCalibrated(out, BUCKET_NAMES.length);
  const entries = Array.from({ length: out.count }, (_, at) => at).filter((at) => out.draw[at] === 0);
  const horizonOf = (at: number): number => Math.round(rows.horizonS[out.row[at] as number] as number);
  const compare = (members: readonly number[]): PairedComparison => compareMembers(rows, out, p, members, horizonOf, random);
  const short = entries.filter((at) => horizonOf(at) <= POOLED_UP_TO_S);
  const pooled = compare(short.length > 0 ? short : entries);
  const horizons = [...new Set(entries.map(horizonOf))].sort((a, b) => a - b);
  const byHorizon = horizons.map((horizon) => ({ horizon, comparison: compare(entries.filter((at) => horizonOf(at) === horizon)) }));
  const { aucDifference, cellAucDifference, brierSkill } = pooled.intervals;
  const cellHolds = pooled.cells.length === 0 || cellAucDifference.estimate >= 0;
  return {
    table: [
      ...formatComparison(pooled, { model: 'network', base: 'EWMA' }),
      '',
      ...horizonTable(byHorizon),
      '',
      ...cellTable(pooled, instruments, horizons),
    ].join('\n'),
    atOrAboveBaseline: aucDifference.estimate >= 0 && brierSkill.estimate >= 0 && cellHolds,
    notes: directionNotes(rows, out, entries),
  };
}

function compareMembers(
  rows: RowSet,
  out: OutOfFold,
  p: Float64Array,
  members: readonly number[],
  horizonOf: (at: number) => number,
  random: Random,
): PairedComparison {
  const rowOf = (at: number): number => out.row[at] as number;
  const instrumentRows = members.map(rowOf);
  return comparePaired(
    {
      p: Float64Array.from(members, (at) => p[at] as number),
      pBase: Float64Array.from(members, (at) => sigmoid(out.baselineLogit[at] as number)),
      y: Uint8Array.from(members, (at) => out.label[at] as number),
      cluster: instrumentClusters(rows, instrumentRows, HOURS_US),
      day: instrumentClusters(rows, instrumentRows, 24 * HOURS_US),
      cell: Int32Array.from(members, (at) => cellId(rows.instrument[rowOf(at)] as number, horizonOf(at))),
      absMove: Float64Array.from(members, (at) => Math.abs(rows.move[rowOf(at)] as number)),
    },
    { random, draws: BOOTSTRAP_DRAWS },
  );
}

const CELL_STRIDE = 1_000_000;
const cellId = (instrument: number, horizonS: number): number => instrument * CELL_STRIDE + horizonS;

const signed = (value: number, digits: number): string =>
  Number.isFinite(value) ? `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(digits)}` : '–';

function horizonTable(byHorizon: readonly { readonly horizon: number; readonly comparison: PairedComparison }[]): string[] {
  const lines = byHorizon.map(({ horizon, comparison: c }) => {
    const { aucBase, aucModel, aucDifference, brierSkill } = c.intervals;
    return `| ${horizon} s | ${c.n} | ${c.baseRate.toFixed(3)} | ${aucBase.estimate.toFixed(3)} | ${aucModel.estimate.toFixed(3)} | ${signed(aucDifference.estimate, 4)} (≥ ${signed(aucDifference.lower90OneSided, 4)}) | ${signed(brierSkill.estimate, 4)} (≥ ${signed(brierSkill.lower90OneSided, 4)}) | ${c.isUnderpowered ? 'underpowered' : ''} |`;
  });
  return [
    '| horizon | origins | base rate | AUC EWMA | AUC network | AUC difference | Brier skill | |',
    '| ---: | ---: | ---: | ---: | ---: | --- | --- | --- |',
    ...lines,
  ];
}

function cellTable(pooled: PairedComparison, instruments: readonly Instrument[], horizons: readonly number[]): string[] {
  if (pooled.cells.length === 0) return ['No cell (instrument × horizon) has the 300 origins and 40 of each class that make it count.'];
  const lines = pooled.cells.map((cell) => {
    const name = instruments[Math.floor(cell.cell / CELL_STRIDE)]?.name ?? '';
    const horizon = horizons.find((h) => h === cell.cell % CELL_STRIDE);
    return `| ${name} | ${horizon} s | ${cell.n} | ${(cell.positives / cell.n).toFixed(3)} | ${cell.base.toFixed(3)} | ${cell.model.toFixed(3)} | ${signed(cell.model - cell.base, 3)} |`;
  });
  return [
    '| cell | horizon | origins | base rate | AUC EWMA | AUC network | difference |',
    '| --- | ---: | ---: | ---: | ---: | ---: | ---: |',
    ...lines,
  ];
}

/** The AUC of the direction on opportunities; more than 3 standard errors from .5 means a leak until shown otherwise. */
function directionNotes(rows: RowSet, out: OutOfFold, entries: readonly number[]): string[] {
  const moved = entries.filter((at) => out.label[at] === 1);
  const up = Uint8Array.from(moved, (at) => ((rows.move[out.row[at] as number] as number) > 0 ? 1 : 0));
  const ups = up.reduce((sum, flag) => sum + flag, 0);
  if (ups < 20 || up.length - ups < 20) return ['Direction: too few opportunities to judge.'];
  const value = auc(
    Float64Array.from(moved, (at) => out.directionLogit[at] as number),
    up,
  );
  const error = aucStandardError(ups, up.length - ups);
  const far = Math.abs(value - 0.5) > 3 * error;
  return [
    `Direction AUC on ${moved.length} opportunities: ${value.toFixed(3)} (standard error ${error.toFixed(3)})${far ? ', more than 3 standard errors from .5: look for a leak' : ''}. No direction is called.`,
  ];
}
