import { ServiceError } from '../../core/ServiceError.ts';
import type { NetworkControl } from '../../engine/inference/InferenceHost.ts';
import { ModelSlots } from '../../engine/inference/ModelSlots.ts';
import type { ServedModel } from '../../engine/model/ModelManifest.ts';
import type { LoadedCatalog, Refused } from '../../engine/model/loadCatalog.ts';

type OpenedSlots = { readonly slots: ModelSlots; readonly refused: readonly Refused[] };

/**
 * Opens the versions of a catalog on the backend, the default first. One that does not return its golden answers is skipped; the shipped
 * default answers in place of a promoted one. Throws ServiceError `model.refused` if the pinned one is refused (`isPinned`), or none is left.
 */
export async function openSlots(host: NetworkControl, catalog: LoadedCatalog, isPinned: boolean): Promise<OpenedSlots> {
  const { versions, defaultId, shippedDefaultId } = catalog;
  const slots = new ModelSlots(host);
  const prepared = new Map<string, ServedModel>();
  const refused: Refused[] = [...catalog.refused];
  const faults = new Map<string, ServiceError>();
  for (const version of [...versions].sort((a, b) => Number(b.manifest.id === defaultId) - Number(a.manifest.id === defaultId))) {
    const { id } = version.manifest;
    try {
      prepared.set(id, await slots.prepare(version));
    } catch (error) {
      if (!(error instanceof ServiceError) || (isPinned && id === defaultId)) throw error;
      faults.set(id, error);
      refused.push({ folder: id, error });
    }
  }
  const answering = [defaultId, shippedDefaultId ?? defaultId].find((id) => prepared.has(id));
  if (answering === undefined) throw faults.get(defaultId) ?? new ServiceError('model.refused', 'No model version can be used.');
  const inOrder = versions.map(({ manifest }) => prepared.get(manifest.id)).filter((model) => model !== undefined);
  slots.swap(inOrder, [], answering);
  return { slots, refused };
}
