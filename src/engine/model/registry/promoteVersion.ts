import * as path from 'node:path';
import { ServiceError } from '../../../core/ServiceError.ts';
import type { ModelManifest } from '../ModelManifest.ts';
import { loadModelFolder } from '../loadModelFolder.ts';
import { type Registry, findVersionFolder } from './Registry.ts';
import { newestShipped, shippedIdsOf } from './registryPaths.ts';
import { rollbackTarget, type Change } from './history.ts';

/**
 * Loads a version, checks it against its golden rows and makes it the default. Throws ServiceError `model.unknown`; `model.refused` for a
 * broken version; `model.not_promotable` for a version trained on generated ticks and, without `force`, for one that did not pass the
 * promotion gate (shipped versions need no gate); `model.registry_busy` if the default changed meanwhile; `file.unwritable`.
 * Nothing changes on an error.
 */
export async function promoteVersion(registry: Registry, id: string, { force = false } = {}): Promise<Change> {
  const before = registry.versions.state();
  const folder = findVersionFolder(registry, id);
  const version = loadModelFolder(folder);
  const isShipped = path.dirname(folder) === registry.shippedDir;
  const fault = promotionFault(version.manifest, { isShipped, force });
  if (fault !== null) throw new ServiceError('model.not_promotable', fault, { remedy: promotionRemedy(version.manifest) });
  await registry.check(version);
  return registry.versions.change(before, id, 'promote', shippedIdsOf(registry.shippedDir));
}

/** Message for a version trained on generated ticks, in promote, the output of a training run and its report. */
export const generatedTicksFault = (id: string): string =>
  `${id} was trained on generated ticks: it cannot be promoted, with or without --force.`;

function promotionRemedy({ id, synthetic }: Pick<ModelManifest, 'id' | 'synthetic'>): string {
  return synthetic
    ? `Train on ticks of a market: tickmark train --data FILE. To try this version, add ?model=${id} to a request, or --model ${id} to tickmark predict.`
    : `Train a version that passes the promotion gate, try this one with ?model=${id}, or promote it with --force although it did not pass.`;
}

/** Says why a version must not become the default; null if it may. */
export function promotionFault(
  { id, synthetic, gate }: Pick<ModelManifest, 'id' | 'synthetic' | 'gate'>,
  { isShipped, force }: { readonly isShipped: boolean; readonly force: boolean },
): string | null {
  if (synthetic) return generatedTicksFault(id);
  if (force || gate.verdict === 'passed' || (isShipped && gate.verdict === 'not_judged')) return null;
  const result = gate.verdict === 'not_passed' ? 'did not pass the promotion gate' : 'was not checked by the promotion gate';
  return `${id} ${result}: ${gate.summary === '' ? 'no reason is recorded.' : gate.summary}`;
}

/**
 * Undoes the last promotion: the version before it becomes the default again, or the shipped default if there is none. Throws ServiceError
 * `model.no_way_back` if no promotion is left, `model.unknown` or `model.refused` if the version before is missing or broken,
 * `model.registry_busy`, `file.unwritable`. Nothing changes on an error.
 */
export async function rollbackVersion(registry: Registry): Promise<Change> {
  const before = registry.versions.state();
  const target = rollbackTarget(before.history);
  if (target === undefined) throw new ServiceError('model.no_way_back', 'There is no promotion to roll back.');
  if (target === null) await registry.check(newestShipped(registry.shippedDir));
  else await registry.check(loadModelFolder(findVersionFolder(registry, target)));
  return registry.versions.change(before, target, 'rollback', shippedIdsOf(registry.shippedDir));
}
