import type { Settings } from '../../../core/config/settings.ts';
import type { ForecasterOptions, OpenForecaster } from '../openForecaster.ts';
import { modelFolders } from '../openRegistry.ts';
import { hasInferenceProcess, readHostResources } from '../topology.ts';
import { logRuntime } from './logRuntime.ts';
import type { ServiceBasics } from './ServiceBasics.ts';

export type OpenedModels = {
  readonly open: OpenForecaster;
  /** Where versions lie. */
  readonly folders: readonly string[];
};

/** Opens backend, rules and versions, and logs how they run. `socketPath`: of a shared inference process. */
export async function openModels(
  { settings, clock, logger, metrics, tracer, opened }: ServiceBasics,
  {
    openForecaster,
    socketPath,
  }: {
    readonly openForecaster: (settings: Settings, deps: ForecasterOptions) => Promise<OpenForecaster>;
    readonly socketPath: string | undefined;
  },
): Promise<OpenedModels> {
  const folders = modelFolders(settings);
  const open = await openForecaster(settings, {
    onCardFault: ({ message, isTriedAgain }) => {
      metrics?.cardFault();
      logger.warn('the NVIDIA card failed; its batches are computed by WebAssembly', { reason: message, triedAgain: isTriedAgain });
    },
    clock,
    metrics,
    tracer,
    shadow: settings.shadowModel === '' ? undefined : { id: settings.shadowModel, logger },
    ownProcess: hasInferenceProcess(settings, readHostResources()) ? { logger, socketPath } : undefined,
  });
  opened.add(open);
  for (const { folder, error } of open.refusedModels) logger.warn('model version skipped', { folder, reason: error.message });
  logRuntime(open, logger);
  return { open, folders };
}
