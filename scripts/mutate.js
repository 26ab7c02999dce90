/**
 * `npm run mutate -- [FOLDER…] [--markdown] [--saved] [--fresh] [--sample N] [--jobs N]`: changes the source one place at a time (Stryker) and counts the
 * changes that make no quick test fail. Prints them, and a table by folder; exit code 1 if a folder is below LEAST_SCORE. A result is used
 * again while source and tests of a mutant are the same. Everything it writes is in node_modules/.cache/stryker.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

/** Not among the dependencies of the project: 253 packages, 77 MB. Mocha 11, because the runner does not know the mocha of the tests. */
const TOOLS = { '@stryker-mutator/core': '9.6.1', '@stryker-mutator/mocha-runner': '9.6.1', mocha: '11.8.0' };
const LEAST_SCORE = 80;
/** Per folder: its quick tests. */
const FOLDERS = {
  'src/service/admission': ['test/unit/service/admission', 'test/property/fairQueue.test.ts'],
  'src/service/live': ['test/unit/service/live'],
  'src/engine/live': ['test/unit/engine/live'],
  'src/engine/rules': [
    'test/unit/engine/rules',
    'test/golden/predicates.test.ts',
    'test/property/rules.test.ts',
    'test/contracts/predicates.test.ts',
  ],
  'src/engine/forecast': ['test/unit/engine/forecast', 'test/property/defaultThreshold.test.ts'],
  'src/engine/features': [
    'test/unit/engine/features',
    'test/golden/features.test.ts',
    'test/property/marketClock.test.ts',
    'test/contracts/featureColumns.test.ts',
  ],
  'training/evaluation': ['test/unit/training/evaluation', 'test/integration/training/evaluation/evaluation.test.ts'],
  'src/service/accounts': [
    'test/unit/service/accounts',
    ...['accountStore', 'counters', 'deliveries', 'seriesMemory', 'trackRecord'].map((name) => `test/contracts/${name}.test.ts`),
  ],
};
/** Not copied for a run; no test above needs it. */
const UNUSED = ['.ci', 'bench', 'clients', 'deploy', 'dist', 'site', 'test/browser', 'test/chaos', 'test/e2e', 'test/helm'];

const cache = path.join('node_modules', '.cache', 'stryker');
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    markdown: { type: 'boolean', default: false },
    saved: { type: 'boolean', default: false },
    fresh: { type: 'boolean', default: false },
    sample: { type: 'string', default: '1' },
    jobs: { type: 'string', default: '2' },
  },
});
const isSample = values.sample !== '1';
const folders = positionals.length === 0 ? Object.keys(FOLDERS) : positionals;
const unknown = folders.find((folder) => !Object.hasOwn(FOLDERS, folder));
if (unknown !== undefined) {
  process.stderr.write(`There are no quick tests for the folder "${unknown}". Folders: ${Object.keys(FOLDERS).join(', ')}.\n`);
  process.exit(1);
}
if (!values.saved) {
  install();
  for (const folder of folders) await mutate(folder);
}
const rows = folders.map((folder) => ({ folder, ...count(folder) }));
if (!values.markdown) for (const { lines } of rows) for (const line of lines) process.stdout.write(`${line}\n`);
process.stdout.write(`${values.markdown ? markdownTable(rows) : plainTable(rows)}\n`);
process.exitCode = rows.every(({ score }) => score >= LEAST_SCORE) ? 0 : 1;

function install() {
  const names = Object.entries(TOOLS).map(([name, version]) => `${name}@${version}`);
  const file = path.join(cache, 'package.json');
  const wanted = `${JSON.stringify({ private: true, dependencies: TOOLS }, undefined, 2)}\n`;
  if (existsSync(file) && readFileSync(file, 'utf8') === wanted) return;
  mkdirSync(cache, { recursive: true });
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-save', '--no-package-lock'];
  const { status } = spawnSync('npm', ['install', '--prefix', cache, ...options, ...names], { stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) throw new Error(`npm could not install ${names.join(', ')}`);
  writeFileSync(file, wanted);
}

async function mutate(folder) {
  const core = path.resolve(cache, 'node_modules/@stryker-mutator/core/dist/src/index.js');
  const { Stryker } = await import(pathToFileURL(core).href);
  const spec = FOLDERS[folder].map((tests) => (tests.endsWith('.ts') ? tests : `${tests}/**/*.test.ts`));
  const options = {
    mutate: isSample ? sampleOf(folder, Number(values.sample)) : [`${folder}/**/*.ts`],
    testRunner: 'mocha',
    // None, because Stryker would rewrite it with an API that TypeScript has no more from version 7 on; the loader of the tests needs no change in it.
    tsconfigFile: 'none.json',
    // A changed loop may allocate without end.
    testRunnerNodeArgs: ['--import=tsx', '--max-old-space-size=768'],
    mochaOptions: { spec, 'no-config': true, 'no-opts': true, 'no-package': true },
    coverageAnalysis: 'perTest',
    // What runs only while a file is loaded, such as tables of texts: each such mutant would need a process of its own.
    ignoreStatic: true,
    concurrency: Number(values.jobs),
    timeoutFactor: 2,
    reporters: ['progress-append-only', 'json'],
    jsonReporter: { fileName: savedFile(folder) },
    incremental: !isSample,
    force: values.fresh,
    incrementalFile: savedFile(folder, 'incremental.'),
    ignorePatterns: UNUSED.map((name) => `/${name}`),
    tempDirName: path.join(cache, 'tmp'),
    logLevel: 'error',
    warnings: false,
  };
  await new Stryker(options).runMutationTest();
}

/** One of every `every` blocks of five lines, over all files; a change that is longer than a block is left out. */
function sampleOf(folder, every) {
  let blocks = 0;
  return readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => {
      const file = path.posix.join(folder, name);
      const starts = readFileSync(file, 'utf8')
        .split('\n')
        .flatMap((_, i) => (i % 5 === 0 ? [i + 1] : []));
      return starts.filter(() => blocks++ % every === 0).map((from) => `${file}:${from}-${from + 4}`);
    });
}

function savedFile(folder, kind = '') {
  return path.join(cache, `${folder.replaceAll('/', '-')}.${kind}json`);
}

/** Counts of a folder, and a line for each mutant that no test noticed. */
function count(folder) {
  const counts = { killed: 0, survived: 0, uncovered: 0 };
  const lines = [];
  for (const [file, { source, mutants }] of Object.entries(JSON.parse(readFileSync(savedFile(folder), 'utf8')).files)) {
    const sourceLines = source.split('\n');
    for (const { status, location, mutatorName, replacement } of mutants) {
      const { start, end } = location;
      const first = sourceLines[start.line - 1].slice(start.column - 1, start.line === end.line ? end.column - 1 : undefined);
      // Texts for people: sentences of errors, logs and explanations. No test should pin all of their words.
      if (mutatorName === 'StringLiteral' && / /.test(first)) continue;
      if (status === 'Killed' || status === 'Timeout') counts.killed++;
      if (status !== 'Survived' && status !== 'NoCoverage') continue;
      counts[status === 'Survived' ? 'survived' : 'uncovered']++;
      const change = `${first.trim()}${start.line === end.line ? '' : ' …'} → ${replacement.replaceAll(/\s+/g, ' ')}`;
      lines.push(`${file}:${start.line} ${status === 'Survived' ? '' : '(not covered) '}${change}`);
    }
  }
  const all = counts.killed + counts.survived + counts.uncovered;
  return { ...counts, lines, score: all === 0 ? 100 : (100 * counts.killed) / all };
}

function cellsOf(rows) {
  const body = rows.map(({ folder, killed, survived, uncovered, score }) => [folder, killed, survived, uncovered, `${score.toFixed(1)} %`]);
  return [['folder', 'killed', 'survived', 'not covered', 'score'], ...body].map((row) => row.map(String));
}

function plainTable(rows) {
  const cells = cellsOf(rows);
  const widths = cells[0].map((_, i) => Math.max(...cells.map((row) => row[i].length)));
  return cells.map((row) => row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join('  ')).join('\n');
}

function markdownTable(rows) {
  const [head, ...body] = cellsOf(rows);
  const line = (row) => `| ${row.join(' | ')} |`;
  return [
    line(head),
    line(['---', '--:', '--:', '--:', '--:']),
    ...body.map((row) => line(row.map((cell, i) => (i === 0 ? `\`${cell}\`` : cell)))),
  ].join('\n');
}
