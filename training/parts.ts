import { copyFileSync, existsSync, readdirSync } from 'node:fs';
import * as path from 'node:path';
import { ServiceError } from '../src/core/ServiceError.ts';
import { jobFile, type TrainJob } from './loop/TrainJob.ts';
import { RunFolder } from './RunFolder.ts';

/** One of several parts of a run, from 1 to `count`. */
export type RunPart = { readonly index: number; readonly count: number };

const FOLDER = /^\.part-(\d+)-of-(\d+)$/;

/** The folder of a part, next to that of the run. */
export const partFolder = (workDir: string, id: string, { index, count }: RunPart): RunFolder =>
  new RunFolder(workDir, `${id}.part-${index}-of-${count}`);

/** The networks that a part trains: each `count`-th, so that the parts take about the same time. Throws ServiceError `command.invalid` if there are fewer networks than parts. */
export function jobsOfPart<T extends Pick<TrainJob, 'name'>>(jobs: readonly T[], { index, count }: RunPart): T[] {
  if (count > jobs.length)
    throw new ServiceError(
      'command.invalid',
      `--part ${index}/${count}: this run has only ${jobs.length} networks, so at most as many parts.`,
    );
  return jobs.filter((_, at) => at % count === index - 1);
}

/**
 * Copies the finished networks of all parts into the opened folder of the run, which then resumes with all of them. `key` as in
 * `RunFolder.open`. Throws ServiceError `command.invalid` if a part is missing, unfinished, or was made with different data, settings or code.
 */
export function gatherParts(
  workDir: string,
  id: string,
  jobs: readonly Pick<TrainJob, 'name'>[],
  { key, run }: { key: unknown; run: RunFolder },
): void {
  const runs = path.join(workDir, 'runs');
  const found = existsSync(runs) ? readdirSync(runs).filter((name) => name.startsWith(`${id}.part-`)) : [];
  const counts = new Set(found.flatMap((name) => FOLDER.exec(name.slice(id.length))?.[2] ?? []).map(Number));
  const [count] = counts;
  if (count === undefined) throw invalid(`There is no part of ${id} in ${runs}. Train the parts first: --part 1/2 and --part 2/2.`);
  if (counts.size > 1)
    throw invalid(
      `${runs} has parts of runs of ${[...counts].join(' and of ')} parts of ${id}. Remove those of the run that you do not want.`,
    );
  for (let index = 1; index <= count; index++) {
    const part = partFolder(workDir, id, { index, count });
    if (!existsSync(part.path)) throw invalid(`Part ${index}/${count} of ${id} is missing: there is no ${part.path}.`);
    part.open(key, true);
    for (const { name } of jobsOfPart(jobs, { index, count })) {
      const file = jobFile(part.path, name, 'result');
      if (!existsSync(file))
        throw invalid(`Part ${index}/${count} of ${id} has not finished: ${path.basename(file)} is missing in ${part.path}.`);
      copyFileSync(file, jobFile(run.path, name, 'result'));
    }
  }
}

const invalid = (detail: string): ServiceError => new ServiceError('command.invalid', detail);
