import type { BuiltRows } from './data/buildRows.ts';
import { prepareRows } from './data/prepareRows.ts';
import type { RunPlan } from './planRun.ts';
import type { TrainEvent, TrainOptions } from './TrainOptions.ts';

/** The training or test rows of a plan, from the cache if possible. */
export function makeRows(
  what: 'training' | 'test',
  plan: RunPlan,
  { workers }: Pick<TrainOptions, 'workers'>,
  onEvent: (event: TrainEvent) => void,
): Promise<BuiltRows> {
  return prepareRows(plan.sources, what === 'training' ? plan.train : plan.test, {
    cacheDir: plan.cacheDir,
    settings: { what, ...(plan.rowSettings as object) },
    code: plan.code,
    threads: workers,
    onProgress: (done, total) => onEvent({ kind: 'rows', what, done, total }),
  });
}
