import type { LoadedCatalog } from './loadCatalog.ts';
import type { ModelCatalog, ServedModel } from './ModelManifest.ts';

/** The versions that can be asked, without their weights. */
export function catalogOf(loaded: LoadedCatalog): ModelCatalog {
  const served = new Map<string, ServedModel>();
  for (const { manifest, card } of loaded.versions) served.set(manifest.id, { id: manifest.id, manifest, card });
  return { defaultId: loaded.defaultId, find: (id) => served.get(id), list: () => [...served.values()] };
}
