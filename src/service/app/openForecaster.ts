import * as path from 'node:path';
import type { Settings } from '../../core/config/settings.ts';
import { systemClock, type Clock } from '../../core/Clock.ts';
import type { Logger } from '../../core/Logger.ts';
import type { Tracer } from '../../core/Tracer.ts';
import type { ServiceError } from '../../core/ServiceError.ts';
import { Forecaster } from '../../engine/forecast/Forecaster.ts';
import { InputMonitor } from '../../engine/forecast/InputMonitor.ts';
import type { ModelSlots } from '../../engine/inference/ModelSlots.ts';
import type { HostOptions } from '../../engine/inference/openInProcessHost.ts';
import type { ModelCatalog } from '../../engine/model/ModelManifest.ts';
import { loadCatalog } from '../../engine/model/loadCatalog.ts';
import { versionFolders } from '../../engine/model/registry/registryPaths.ts';
import { loadServedRules } from '../../engine/rules/loadRuleSet.ts';
import type { CardFault } from '../../engine/runtime/Runtime.ts';
import { readModelSignatures, ModelWatch } from './ModelWatch.ts';
import { modelFolders } from './openRegistry.ts';
import { openHost } from './openHost.ts';
import { openSlots } from './openSlots.ts';
import type { ServiceBasics } from './ServiceBasics.ts';
import { hasInferenceProcess, readHostResources } from './topology.ts';

/** Everything that answers a forecast, without accounts and HTTP. */
export type OpenForecaster = Awaited<ReturnType<typeof openForecaster>>;

export type ForecasterOptions = {
  readonly clock?: Clock;
  /** Batch sizes to measure first; default: those of a service. */
  readonly batches?: readonly number[];
  /** Runs the network in the inference process: in the one that listens on `socketPath`, or in one of this process alone. Its starts and exits are logged. */
  readonly ownProcess?: { readonly logger: Logger; readonly socketPath?: string | undefined };
  /** Of an NVIDIA card that this process uses. Left out: a warning of the process. */
  readonly onCardFault?: (fault: CardFault) => void;
  /** Left out: no traces. */
  readonly tracer?: Tracer | undefined;
  /** Called after each batch. */
  readonly onBatch?: HostOptions['onBatch'];
};

/**
 * Opens the backend, loads and checks rules and models, and joins them. Called by the service, and by commands where the kernel alone cannot serve (openLocalForecaster).
 * Throws ServiceError `runtime.refused`, `model.refused`, `rules.refused`, `file.unreadable`; nothing is left open then.
 */
export async function openForecaster(
  settings: Pick<Settings, 'modelsDir' | 'model' | 'rulesFile' | 'runtimeBackend' | 'startTimeoutMs'>,
  { clock = systemClock, batches, onBatch, onCardFault, tracer, ownProcess }: ForecasterOptions = {},
) {
  const ruleSet = await loadServedRules(settings);
  const { modelsDir, model } = settings;
  const isPinned = model !== '';
  const seen = readModelSignatures(modelsDir);
  const folders = modelFolders(settings);
  const loaded = loadCatalog(folders, model);
  let served: ModelSlots | undefined;
  // A restarted inference process may run on another backend, where a version no longer gives its golden answers.
  const onRefused = (networkId: string, error: ServiceError): void => {
    served?.withdraw(networkId, isPinned ? null : loaded.shippedDefaultId);
    ownProcess?.logger.error('model version withdrawn', { networkId, reason: error.message });
  };
  const opened = await openHost(settings.runtimeBackend, {
    clock,
    startMs: settings.startTimeoutMs,
    tracer,
    ownProcess: ownProcess && { ...ownProcess, onRefused },
    batches,
    onBatch,
    onCardFault,
  });
  const { host } = opened;
  try {
    const { slots, refused } = await openSlots(host, loaded, isPinned);
    served = slots;
    const inputs = new InputMonitor();
    const deps = { host, models: slots, ruleSet, clock };
    const { shippedDefaultId } = loaded;
    const shippedIds = new Set(versionFolders(folders[0]).map((folder) => path.basename(folder)));
    return {
      forecaster: new Forecaster({ ...deps, inputs }),
      /** The backend that runs the network. */
      get runtime() {
        return opened.runtime;
      },
      models: slots as ModelCatalog,
      /** Where versions lie. */
      folders,
      /** What was asked of each version. */
      inputs,
      /** The rules that all answers pass through. */
      ruleSet,
      /** Model folders that were skipped, with the reason. */
      refusedModels: refused,
      /** Measured at the start, by batch size: how the network is run. */
      warmed: host.warmed,
      /** Rows that wait for the network now. */
      waiting: () => host.waiting,
      /** What the backend holds now. */
      tensors: opened.tensors,
      /** How often this process has started the inference process again. */
      restarts: opened.restarts,
      /** Whether rows are answered now. */
      isUp: () => host.isUp(),
      /** Starts to follow changes of the versions. */
      watch: (logger: Logger): ModelWatch => {
        const watching = new ModelWatch({ modelsDir, slots, clock, logger, shippedIds, shippedDefaultId, isPinned, seen });
        watching.start();
        return watching;
      },
      close: () => host.close(),
    };
  } catch (error) {
    await host.close();
    throw error;
  }
}

/** Opens backend, rules and versions, and logs how they run. `socketPath`: of a shared inference process. */
export async function openModels(
  { settings, clock, logger, metrics, tracer, opened }: ServiceBasics,
  opener: typeof openForecaster,
  socketPath: string | undefined,
): Promise<OpenForecaster> {
  const open = await opener(settings, {
    onCardFault: ({ message, isTriedAgain }) => {
      metrics?.count('tickmark_card_faults_total');
      logger.warn('the NVIDIA card failed; its batches are computed by WebAssembly', { reason: message, triedAgain: isTriedAgain });
    },
    onBatch: ({ size, ms }) => {
      metrics?.observe('tickmark_batch_size', size);
      metrics?.observe('tickmark_batch_duration_seconds', ms / 1000);
    },
    clock,
    tracer,
    ownProcess: hasInferenceProcess(settings, readHostResources()) ? { logger, socketPath } : undefined,
  });
  opened.add(open);
  for (const { folder, error } of open.refusedModels) logger.warn('model version skipped', { folder, reason: error.message });
  logRuntime(open, logger);
  return open;
}

/** Which backend serves, why each better one does not, and how each batch size is run. */
function logRuntime({ runtime, warmed }: OpenForecaster, logger: Logger): void {
  for (const { candidate, reason } of runtime.refused)
    logger.info('a faster backend is not available; trying the next one', { backend: candidate, reason });
  logger.info('backend opened', { backend: runtime.backend, device: runtime.description });
  for (const { batch, lstm, readout } of warmed)
    logger.info('batch size measured', {
      batch,
      ...(lstm === undefined
        ? {}
        : { lstm: lstm.chosen, lstmMs: rounded(lstm.timesMs), ...(hasAny(lstm.refused) && { lstmRefused: lstm.refused }) }),
      readout: readout.chosen,
      networkMs: rounded(readout.timesMs),
    });
}

const hasAny = (record: object): boolean => Object.keys(record).length > 0;

/** Milliseconds to microseconds' precision. */
function rounded(timesMs: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(timesMs).map(([name, ms]) => [name, Math.round(ms * 1000) / 1000]));
}
