import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { packageRoot } from '../../src/core/packageRoot.ts';
import { seededRandom } from '../../src/core/Random.ts';
import { CONTEXT_COLUMNS } from '../../src/engine/features/columns.ts';
import type { RowSet } from '../data/RowSet.ts';
import type { BaselineFold } from '../evaluation/baselineScores.ts';
import { comparisonTable } from '../evaluation/scoreTables.ts';
import { compareScores, entriesOf, labelsOf, type Scores } from '../evaluation/Scores.ts';
import type { ReportTable } from '../report/ReportData.ts';
import { allRows } from '../splits/planFolds.ts';

/** One way to split the rows, with the entries that count. */
export type View = { readonly name: string; readonly folds: readonly BaselineFold[]; readonly scores: Scores };

const NAMES = {
  logistic: 'logistic regression on the context columns',
  lightgbm: 'boosted trees on the context columns',
  lightgbm_offset: 'boosted trees that correct EWMA',
} as const;

const SCRIPT = path.join(packageRoot(), 'training', 'baselines', 'baselines.py');
/** Exit code of a script if a package is missing. */
const NO_PACKAGES = 3;
const TIMEOUT_MS = 3_600_000;
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;

/**
 * Baselines that need Python: `training/baselines/baselines.py` fits them on the folds of each view and predicts the same rows as the
 * version. Without Python or its packages, the baselines are skipped and a note gives the reason.
 */
export function pythonBaselines(
  rows: RowSet,
  views: readonly View[],
  { python, seed }: { readonly python: string; readonly seed: number },
  note: (text: string) => void,
): Promise<ReportTable[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'tickmark-baselines-'));
  try {
    const files = writeColumns(folder, rows);
    return Promise.resolve(
      views.flatMap(({ name, folds, scores }) => {
        const job = { ...files, folds: folds.map(({ train, test }) => ({ train: [...train], test: [...test] })) };
        const found = runPython<Probabilities>(python, SCRIPT, job, note);
        return found === undefined ? [] : tablesOf(name, rows, scores, found, seed);
      }),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

type Probabilities = Readonly<Record<keyof typeof NAMES, readonly (number | null)[]>>;

function writeColumns(folder: string, rows: RowSet) {
  const context = new Float32Array(rows.count * CONTEXT_COLUMNS);
  const offset = new Float64Array(rows.count);
  for (let row = 0; row < rows.count; row++) {
    const from = row * rows.draws * CONTEXT_COLUMNS;
    context.set(rows.context.subarray(from, from + CONTEXT_COLUMNS), row * CONTEXT_COLUMNS);
    offset[row] = rows.baseline[row * rows.draws] as number;
  }
  const write = (name: string, values: Float32Array | Float64Array | Uint8Array): string => {
    const file = path.join(folder, name);
    writeFileSync(file, new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
    return file;
  };
  return {
    rows: rows.count,
    columns: CONTEXT_COLUMNS,
    context: write('context.f32', context),
    offset: write('offset.f64', offset),
    label: write('label.u8', labelsOf(rows, allRows(rows))),
  };
}

/** What a script writes for a job, which it reads as a line of JSON; undefined, after a note with the reason, without Python or its packages. */
function runPython<T>(python: string, script: string, job: object, note: (text: string) => void): T | undefined {
  const input = `${JSON.stringify(job)}\n`;
  const ended = spawnSync(python, [script], { input, encoding: 'utf8', timeout: TIMEOUT_MS, maxBuffer: MAX_OUTPUT_BYTES });
  if (ended.status === 0) return JSON.parse(ended.stdout) as T;
  const why =
    ended.error !== undefined
      ? ended.error.message
      : ended.status === NO_PACKAGES
        ? `${ended.stderr.trim()}; pip install -r training/baselines/requirements.txt`
        : (ended.stderr.trim().split('\n').at(-1) ?? `exit code ${ended.status}`);
  note(`Python baselines skipped: ${why}.`);
  return undefined;
}

function tablesOf(view: string, rows: RowSet, scores: Scores, found: Probabilities, seed: number): ReportTable[] {
  const random = seededRandom(seed);
  return (Object.keys(NAMES) as (keyof typeof NAMES)[]).map((name) => {
    const served = Float64Array.from(scores.row, (row) => found[name][row] ?? NaN);
    const members = entriesOf(scores).filter((at) => Number.isFinite(served[at]));
    const comparison = compareScores(rows, { ...scores, served }, 'served', members, random);
    return comparisonTable(`Compared with ${NAMES[name]}, ${view}`, comparison, { model: 'this version', base: name });
  });
}
