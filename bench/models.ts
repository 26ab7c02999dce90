import { readdirSync, readFileSync } from 'node:fs';
import * as path from 'node:path';
import { readSettings, tensorflowEnvironment } from '../src/core/config/settings.ts';
import { packageRoot } from '../src/core/packageRoot.ts';
import { findVersion, loadCatalog } from '../src/engine/model/loadCatalog.ts';
import { MODEL_FILES, type ModelFolder } from '../src/engine/model/modelFiles.ts';
import { openRuntime } from '../src/engine/runtime/openRuntime.ts';
import { modelFolders } from '../src/service/app/openRegistry.ts';
import { readSeries } from '../training/bars/barPlan.ts';
import { buildRows } from '../training/data/buildRows.ts';
import { BASE_SCOPE } from '../training/data/HorizonScope.ts';
import type { TestRows } from '../training/data/openTestRows.ts';
import { planTestRows } from '../training/data/planRows.ts';
import { thinPlan } from '../training/data/RowPlan.ts';
import { sourceOfSeries } from '../training/data/readSources.ts';
import { openTickSources } from '../training/data/TickSource.ts';
import { type NamedModel, scoreOpened } from '../training/evaluateModels.ts';
import { readOutOfFold } from '../training/evaluation/outOfFold.ts';
import type { ReportTable } from '../training/report/ReportData.ts';
import { allRows } from '../training/splits/planFolds.ts';
import type { Bench, BenchReport } from './Bench.ts';

const EXAMPLES = path.join(packageRoot(), 'examples', 'models');
const PROGRAMS = readdirSync(EXAMPLES).filter((file) => file.endsWith('.py') && !['market.py', 'tickmark_model.py'].includes(file));
const ANSWER_MS = 120_000;
const SEED = 1;
const MARKET_HORIZONS_S = [60, 300, 1800];
/** Of the groups of the training data: one in so many windows. */
const THINNED = 4;
const SCOPE = { ...BASE_SCOPE, testedS: MARKET_HORIZONS_S };

const linesOf = (program: string): string =>
  String(readFileSync(path.join(EXAMPLES, program), 'utf8').split('\n').filter((line) => line.trim() !== '').length); // prettier-ignore

function programs(only: string): NamedModel[] {
  const python = process.env['PYTHON'] ?? 'python3';
  return PROGRAMS.filter((name) => only.split(',').some((part) => name.includes(part))).map((name) => ({
    name,
    command: `nice -n 19 ${python} ${path.join(EXAMPLES, name)}`,
  }));
}

/** Files by series: `silver-2017-01.csv.gz` and `silver-2017-02.csv.gz` are one. */
function seriesOf(files: readonly string[]): Map<string, string[]> {
  const series = new Map<string, string[]>();
  for (const file of files.toSorted((a, b) => path.basename(a).localeCompare(path.basename(b)))) {
    const name = path.basename(file).replace(/(-\d{4}-\d\d)?\..*$/, '');
    series.set(name, [...(series.get(name) ?? []), file]);
  }
  return series;
}

/** Months of one market, which no version was trained on. */
async function market(name: string, files: readonly string[]): Promise<TestRows> {
  const sources = [sourceOfSeries(name, await readSeries(files), name)];
  const plan = planTestRows(sources, { scope: SCOPE, seed: SEED });
  return { sources, notes: [], plan, made: await buildRows(sources, plan, 1) };
}

/** The files that the version was trained on, in the order of its training, so that its windows are those of `out-of-fold.json`. */
async function groups(files: readonly string[], version: ModelFolder): Promise<TestRows> {
  const workDir = path.resolve(readSettings().dataDir, 'training');
  const opened = await openTickSources(files, { groups: {}, workDir, lookAheadS: 1802 });
  const absent = sourceOfSeries('absent', { timesUs: Float64Array.of(0, 1e6), prices: Float64Array.of(1, 2) }, 'absent');
  const sources = version.manifest.lineage.data.map(({ name, group, fileSha256 }) => {
    const found = opened.sources.find(({ file }) => file.sha256 === fileSha256);
    return { ...(found ?? absent), name, group };
  });
  const plan = thinPlan(planTestRows(sources, { scope: BASE_SCOPE, seed: SEED }), THINNED);
  return { sources, notes: opened.notes, plan, made: await buildRows(sources, plan, 1) };
}

function outOfFold(version: ModelFolder, folder: string, { sources, made }: TestRows): NamedModel {
  const text = readFileSync(path.join(folder, MODEL_FILES.outOfFold), 'utf8');
  return { name: 'tickmark', known: readOutOfFold(text, made.rows, allRows(made.rows), sources), line: version.memory };
}

/** With the lines that each example has. */
function benchTable({ title, head, rows, about }: ReportTable, of: string): BenchReport['tables'][number] {
  const withLines = title.startsWith('Models side by side');
  return {
    title: `${of}: ${title}${about === '' ? '' : `. ${about}`}`,
    head: withLines ? [...head, 'lines'] : head,
    lines: withLines ? rows.map((row) => [...row, PROGRAMS.includes(row[0]) ? linesOf(row[0]) : '–']) : rows,
  };
}

export const bench: Bench = {
  name: 'models',
  about:
    'The default version and the examples of models, in the evaluation of any model: months of markets, or the files that the version was trained on, by networks that never saw their group.',
  takesFiles: true,
  async run(only = '', { files = [] } = {}) {
    if (files.length === 0) throw new Error('Name the files of markets: npm run bench -- models MARKET-YYYY-MM.csv.gz ...');
    const settings = readSettings();
    const catalog = loadCatalog(modelFolders(settings), settings.model);
    const version = findVersion(catalog, catalog.defaultId);
    await openRuntime(settings.runtimeBackend, { environment: tensorflowEnvironment() });
    const trained = new Set(version.manifest.lineage.data.map(({ name }) => name));
    const isGroups = files.every((file) => trained.has(path.basename(file).replace(/\..*$/, '')));
    const tables: BenchReport['tables'][number][] = [];
    const score = async (name: string, opened: TestRows, tickmark: NamedModel): Promise<void> => {
      const options = { models: [tickmark, ...programs(only)], answerMs: ANSWER_MS, origins: '', seed: SEED, command: '' };
      const report = await scoreOpened(opened, options, (text) => process.stderr.write(`${name}: ${text}\n`));
      tables.push(...report.tables.map((table) => benchTable(table, name)));
    };
    if (isGroups) {
      const opened = await groups(files, version);
      await score('groups', opened, outOfFold(version, path.join(packageRoot(), 'models', version.manifest.id), opened));
    } else for (const [name, own] of seriesOf(files)) await score(name, await market(name, own), { name: 'tickmark', version });
    const shared = `The ${linesOf('market.py')} lines of market.py and ${linesOf('tickmark_model.py')} of tickmark_model.py are shared by the examples.`;
    return { about: [shared], tables };
  },
};
