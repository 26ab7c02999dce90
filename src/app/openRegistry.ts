import { tensorflowEnvironment, type Settings } from '../config/settings.ts';
import { systemClock } from '../core/Clock.ts';
import { selfCheck } from '../inference/selfCheck.ts';
import type { ModelFolder } from '../model/modelFiles.ts';
import { Network } from '../model/Network.ts';
import type { Registry } from '../model/registry/Registry.ts';
import { openRuntime } from '../runtime/openRuntime.ts';
import type { Runtime } from '../runtime/Runtime.ts';
import { modelFolders } from './modelFolders.ts';

/** The versions of these settings. The backend that golden rows are run on is opened at the first check. */
export function openRegistry(settings: Pick<Settings, 'modelsDir' | 'runtimeBackend'>): Registry {
  const [shippedDir = '', modelsDir = ''] = modelFolders(settings);
  let runtime: Promise<Runtime> | undefined;
  const check = async ({ manifest, weights, golden }: ModelFolder): Promise<void> => {
    await (runtime ??= openRuntime(settings.runtimeBackend, { environment: tensorflowEnvironment() }));
    const network = new Network(manifest.network, weights);
    try {
      selfCheck(manifest.id, network, golden);
    } finally {
      network.dispose();
    }
  };
  return { shippedDir, modelsDir, clock: systemClock, check };
}
