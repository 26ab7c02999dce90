import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import * as path from 'node:path';
import { parseArgs } from 'node:util';
import { tensorflowEnvironment } from '../../src/core/config/settings.ts';
import { openRuntime } from '../../src/engine/runtime/openRuntime.ts';
import { figuresOf, type LeftOut } from './figures.ts';
import { openSearch } from './openSearch.ts';
import { joinHeads, mixOf, readShipped, trainTrial, type SearchData } from './trainTrial.ts';
import { parseTrials } from './Trial.ts';

const USAGE = `Usage: node --import tsx bench/search/run.ts RUN.json TRIALS.jsonl LOG.jsonl [--cache FOLDER]
RUN.json has the settings of \`tickmark train --experiment\`. A trial that is in the log is not run again.`;

/** Runs the trials of a list one after another and appends a row for each to the log. */
async function main(): Promise<number> {
  const { values, positionals } = parseArgs({ options: { cache: { type: 'string' } }, allowPositionals: true });
  const [runFile, listFile, logFile] = positionals;
  if (runFile === undefined || listFile === undefined || logFile === undefined) {
    process.stderr.write(`${USAGE}\n`);
    return 1;
  }
  const { classOf, ...opened } = await openSearch(runFile);
  const { options, test } = opened;
  const note = (text: string): boolean => process.stderr.write(`${text}\n`);
  const runtime = await openRuntime(options.backend, { environment: tensorflowEnvironment() });
  const cache = values.cache ?? path.join(options.workDir, 'search');
  mkdirSync(cache, { recursive: true });
  const data: SearchData = { ...opened, cache };
  const isDone = (id: string): boolean =>
    existsSync(logFile) && readFileSync(logFile, 'utf8').split('\n').filter(Boolean).map(idOf).includes(id);
  for (const trial of parseTrials(readFileSync(listFile, 'utf8'))) {
    if (isDone(trial.id)) continue;
    const start = process.cpuUsage();
    const trained: LeftOut =
      trial.published === true ? readShipped(trial.id, data) : trial.mix === undefined ? trainTrial(trial, data) : mixOf(trial.mix, data);
    const { user, system } = process.cpuUsage(start);
    const cpuS = Math.round((user + system) / 1e6);
    const out = trial.on === undefined ? trained : joinHeads(trained, mixOf([trial.on], data), trial.heads ?? [], data);
    const figures = figuresOf(test, out, classOf, trial.weights);
    const rounded = Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, Number(value.toFixed(5))]));
    appendFileSync(logFile, `${JSON.stringify({ ...trial, backend: runtime.backend, cpuS, ...rounded })}\n`);
    note(`${trial.id} (${trial.about}): ${cpuS} s; auc ${rounded['auc']}, cells ${rounded['cells']}, skill ${rounded['skill']}`);
  }
  return 0;
}

const idOf = (line: string): string => (JSON.parse(line) as { id: string }).id;

process.exitCode = await main();
