import * as path from 'node:path';
import { ServiceError } from '../../core/ServiceError.ts';
import { loadModelFolder } from '../loadModelFolder.ts';
import type { ModelManifest } from '../ModelManifest.ts';
import { changeCurrent, type Change } from './changeCurrent.ts';
import { lockRegistry } from './lockRegistry.ts';
import type { Registry } from './Registry.ts';
import { findVersionFolder } from './versionFolders.ts';

/**
 * Makes a version the default, after it was loaded and gave its golden answers. Throws ServiceError `model.unknown`, `model.refused` for a broken
 * one, `model.not_promotable` for one of generated ticks and, without `force`, for one that did not pass its gate (what ships has no gate to pass),
 * `model.registry_busy`, `file.unwritable`; nothing changes then.
 */
export async function promoteVersion(registry: Registry, id: string, { force = false } = {}): Promise<Change> {
  const folders = [registry.shippedDir, registry.modelsDir];
  const folder = findVersionFolder(folders, id);
  const version = loadModelFolder(folder);
  const isShipped = path.dirname(folder) === registry.shippedDir;
  const fault = promotionFault(version.manifest, { isShipped, force });
  if (fault !== null) throw new ServiceError('model.not_promotable', fault, { remedy: promotionRemedy(version.manifest) });
  await registry.check(version);
  return lockRegistry(registry.modelsDir, registry.clock, () => {
    // It may have been pruned meanwhile.
    findVersionFolder(folders, id);
    return changeCurrent(registry, id, 'promote');
  });
}

/** What promote, the output of a training run and its report say alike of a version of generated ticks. */
export const generatedTicksFault = (id: string): string =>
  `${id} was trained on generated ticks: it cannot be promoted, with or without --force.`;

function promotionRemedy({ id, synthetic }: Pick<ModelManifest, 'id' | 'synthetic'>): string {
  return synthetic
    ? `Train on ticks of a market: tickmark train --data FILE. To try this version, add ?model=${id} to a request, or --model ${id} to tickmark predict.`
    : `Train a version that passes the gate, try this one with ?model=${id}, or promote it with --force although it did not pass.`;
}

/** Why a version must not answer by default; null: it may. */
export function promotionFault(
  { id, synthetic, gate }: Pick<ModelManifest, 'id' | 'synthetic' | 'gate'>,
  { isShipped, force }: { readonly isShipped: boolean; readonly force: boolean },
): string | null {
  if (synthetic) return generatedTicksFault(id);
  if (force || gate.verdict === 'passed' || (isShipped && gate.verdict === 'not_judged')) return null;
  const verdict = gate.verdict === 'not_passed' ? 'did not pass its gate' : 'was not judged by a gate';
  return `${id} ${verdict}: ${gate.summary === '' ? 'its card says no more.' : gate.summary}`;
}
