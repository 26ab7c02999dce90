import * as path from 'node:path';
import { type Settings, tensorflowEnvironment } from '../../core/config/settings.ts';
import { systemClock } from '../../core/Clock.ts';
import type { Logger } from '../../core/Logger.ts';
import { packageRoot } from '../../core/packageRoot.ts';
import type { ModelFolder } from '../../engine/model/modelFiles.ts';
import { FolderVersions } from '../../engine/model/registry/FolderVersions.ts';
import type { MongoVersions } from '../../engine/model/registry/MongoVersions.ts';
import type { Registry } from '../../engine/model/registry/Registry.ts';
import type { VersionStore } from '../../engine/model/registry/VersionStore.ts';

/** The folders that are searched for model versions: the shipped ones, then the owner's, or their copies if the registry is in MongoDB. */
export function modelFolders(settings: Pick<Settings, 'versionsDir'>): readonly [string, string] {
  return [path.join(packageRoot(), 'models'), settings.versionsDir];
}

/** The registry of these settings for commands: opens it, runs `use` and closes it. Throws ServiceError `store.unavailable`, `store.refused`, and what `use` throws. */
export async function withRegistry<T>(settings: Settings, use: (registry: Registry) => Promise<T>): Promise<T> {
  if (settings.modelRegistry === 'folder') return use(registryOver(settings, new FolderVersions(settings.versionsDir, systemClock)));
  const { openStore } = await import('./openStore.ts');
  const { versions, close } = await openStore({ ...settings, limits: { ...settings.limits, areShared: false } }, systemClock);
  try {
    if (versions === undefined) throw new Error('MODEL_REGISTRY=mongodb without a database.');
    return await use(registryOver(settings, versions));
  } finally {
    await close();
  }
}

/** Downloads what MongoDB has, if the registry is there, so that `modelFolders` holds the versions of the registry. */
export async function refreshVersions(settings: Settings, logger: Pick<Logger, 'info' | 'warn'>): Promise<void> {
  if (settings.modelRegistry === 'folder') return;
  const { RegistryMirror } = await import('./RegistryMirror.ts');
  await withRegistry(settings, ({ versions, shippedDir }) =>
    new RegistryMirror({ versions: versions as MongoVersions, shippedDir, clock: systemClock, logger }).sync(),
  );
}

/** The first check loads TensorFlow.js and opens the backend that runs golden rows: most commands check none. */
function registryOver(settings: Pick<Settings, 'versionsDir' | 'runtimeBackend'>, versions: VersionStore): Registry {
  const [shippedDir] = modelFolders(settings);
  let checks: ReturnType<typeof openChecks> | undefined;
  const check = async ({ manifest, weights, golden }: ModelFolder): Promise<void> => {
    const { Network, selfCheck } = await (checks ??= openChecks(settings.runtimeBackend));
    const network = new Network(manifest.network, weights);
    try {
      selfCheck(manifest.id, network, golden);
    } finally {
      network.dispose();
    }
  };
  return { shippedDir, versions, check };
}

async function openChecks(backend: Settings['runtimeBackend']) {
  const [{ openRuntime }, { Network }, { selfCheck }] = await Promise.all([
    import('../../engine/runtime/openRuntime.ts'),
    import('../../engine/model/Network.ts'),
    import('../../engine/inference/selfCheck.ts'),
  ]);
  await openRuntime(backend, { environment: tensorflowEnvironment() });
  return { Network, selfCheck };
}
