import * as path from 'node:path';
import { type Settings, tensorflowEnvironment } from '../../core/config/settings.ts';
import { systemClock } from '../../core/Clock.ts';
import { packageRoot } from '../../core/packageRoot.ts';
import type { ModelFolder } from '../../engine/model/modelFiles.ts';
import { FolderVersions } from '../../engine/model/registry/FolderVersions.ts';
import type { Registry } from '../../engine/model/registry/Registry.ts';

/** The folders that are searched for model versions: the shipped ones, then the owner's. */
export function modelFolders(settings: Pick<Settings, 'modelsDir'>): readonly [string, string] {
  return [path.join(packageRoot(), 'models'), settings.modelsDir];
}

/** The registry of these settings. The first check loads TensorFlow.js and opens the backend that runs golden rows: most commands check none. */
export function registryOf(settings: Pick<Settings, 'modelsDir' | 'runtimeBackend'>): Registry {
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
  return { shippedDir, versions: new FolderVersions(settings.modelsDir, systemClock), check };
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
