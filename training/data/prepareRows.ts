import * as path from 'node:path';
import { ServiceError } from '../../src/core/ServiceError.ts';
import { buildRows, type BuiltRows } from './buildRows.ts';
import type { RowPlan } from './RowPlan.ts';
import { RowCache } from './RowCache.ts';
import type { TickSource } from './TickSource.ts';

export type RowPreparation = {
  readonly cacheDir: string;
  /** All inputs of the plan except the ticks: part of the cache key. */
  readonly settings: unknown;
  readonly code: string;
  readonly threads: number;
  readonly onProgress: (done: number, total: number) => void;
};

/** Rows of a plan, from the cache if the same ticks, settings and code have made them before. */
export async function prepareRows(sources: readonly TickSource[], plan: RowPlan, options: RowPreparation): Promise<BuiltRows> {
  const { cacheDir, settings, code, threads, onProgress } = options;
  const files = sources.map(({ file }) => [file.sha256, file.rows]);
  const cache = new RowCache(path.join(cacheDir, 'rows'));
  return cache.get({ files, settings, code }, () => buildRows(sources, plan, threads, onProgress));
}

/** Throws ServiceError `training.too_little_data` for a constant price: there is nothing to learn. */
export function refuseConstant(sources: readonly TickSource[]): void {
  const constant = sources.filter(({ stats }) => stats.constant).map(({ file }) => file.name);
  if (constant.length > 0)
    throw new ServiceError(
      'training.too_little_data',
      `The price never changes in ${constant.join(', ')}. Leave ${constant.length === 1 ? 'it' : 'them'} out.`,
    );
}
