import * as path from 'node:path';
import type { Settings } from '../config/settings.ts';
import { systemClock, type Clock } from '../core/Clock.ts';
import type { Logger } from '../core/Logger.ts';
import type { ServiceError } from '../core/ServiceError.ts';
import { Forecaster } from '../forecast/Forecaster.ts';
import { InputMonitor } from '../forecast/InputMonitor.ts';
import { ShadowForecasts } from '../forecast/ShadowForecasts.ts';
import type { ShadowOutcome } from '../forecast/ShadowTally.ts';
import { openHost } from './openHost.ts';
import type { ModelSlots } from '../inference/ModelSlots.ts';
import type { WarmedBatch } from '../inference/warmUp.ts';
import { loadCatalog, type Refused } from '../model/loadCatalog.ts';
import type { ModelCatalog, ServedModel } from '../model/ModelManifest.ts';
import { versionFolders } from '../model/registry/versionFolders.ts';
import { defaultRuleSetPath, readRuleSource } from '../rules/loadRuleSet.ts';
import type { RuleSet } from '../rules/RuleSet.ts';
import type { Runtime } from '../runtime/Runtime.ts';
import { modelFolders } from './modelFolders.ts';
import { readModelSignatures } from './modelSignatures.ts';
import { ModelWatch } from './ModelWatch.ts';
import { openSlots } from './openSlots.ts';
import { rulesOfVersions } from './versionRules.ts';

/** Everything that answers a forecast, without accounts and HTTP. */
export type OpenForecaster = {
  readonly forecaster: Forecaster;
  /** The backend that runs the network. */
  readonly runtime: Pick<Runtime, 'backend' | 'description' | 'refused'>;
  /** Whether rows are answered now. */
  isUp(): boolean;
  readonly models: ModelCatalog;
  /** What was asked of each version. */
  readonly inputs: InputMonitor;
  /** The answers of the SHADOW_MODEL version; absent without one. */
  readonly shadow?: ShadowForecasts;
  /** The rules that a version's answers pass through. */
  readonly rulesOf: (model: ServedModel) => RuleSet;
  /** Model folders that were skipped, with the reason. */
  readonly refusedModels: readonly Refused[];
  /** Measured at the start, by batch size: how the network is run. */
  readonly warmed: readonly WarmedBatch[];
  /** Rows that wait for the network now. */
  waiting(): number;
  /** What the backend holds now. */
  tensors(): { readonly count: number; readonly bytes: number };
  /** Starts to follow changes of MODELS_DIR; the returned function stops it. */
  watch(logger: Logger): () => void;
  close(): Promise<void>;
};

export type ForecasterOptions = {
  readonly clock?: Clock;
  /** Batch sizes to measure first; default: those of a service. */
  readonly batches?: readonly number[];
  /** Runs the network in the inference process: in the one that listens on `socketPath`, or in one of this process alone. Its starts and exits are logged. */
  readonly ownProcess?: { readonly logger: Logger; readonly socketPath?: string | undefined };
  /** A version to try on live traffic, and the log for its state. */
  readonly shadow?: { readonly id: string; readonly logger: Logger };
  /** Called after each batch and after each forecast of the shadow version. */
  readonly metrics?: {
    batch(time: { size: number; ms: number }): void;
    shadow(outcome: ShadowOutcome, difference?: number): void;
  };
};

/**
 * Opens the backend, loads and checks rules and models, and joins them. Called by the service and by `tickmark predict`.
 * Throws ServiceError `runtime.refused`, `model.refused`, `rules.refused`, `file.unreadable`; nothing is left open then.
 */
export async function openForecaster(
  settings: Pick<Settings, 'modelsDir' | 'model' | 'rulesFile' | 'runtimeBackend' | 'startTimeoutMs'>,
  { clock = systemClock, batches, metrics, ownProcess, shadow: tried }: ForecasterOptions = {},
): Promise<OpenForecaster> {
  const isOperators = settings.rulesFile !== '';
  const common = { source: await readRuleSource(isOperators ? settings.rulesFile : defaultRuleSetPath()), isOperators };
  const rulesOf = rulesOfVersions(common);
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
    ...(ownProcess === undefined ? {} : { ownProcess: { ...ownProcess, onRefused } }),
    ...(batches === undefined ? {} : { batches }),
    ...(metrics === undefined ? {} : { onBatch: (time) => metrics.batch(time) }),
  });
  const { host } = opened;
  try {
    const { slots, refused } = await openSlots(host, loaded, isPinned);
    served = slots;
    const inputs = new InputMonitor();
    const shadow =
      tried === undefined
        ? undefined
        : new ShadowForecasts({
            ...tried,
            host,
            models: slots,
            rulesOf,
            clock,
            ...(metrics === undefined ? {} : { onOutcome: (...outcome) => metrics.shadow(...outcome) }),
          });
    shadow?.logState();
    const forecaster = new Forecaster({
      host,
      models: slots,
      rulesOf,
      clock,
      inputs,
      ...(shadow === undefined ? {} : { shadow }),
    });
    const { shippedDefaultId } = loaded;
    const shippedIds = new Set(versionFolders(folders[0] ?? '').map((folder) => path.basename(folder)));
    const watch = (logger: Logger): (() => void) => {
      const watching = new ModelWatch({ modelsDir, slots, clock, logger, shippedIds, shippedDefaultId, isPinned, seen });
      watching.start();
      return () => watching.close();
    };
    return {
      forecaster,
      get runtime() {
        return opened.runtime;
      },
      models: slots,
      inputs,
      ...(shadow === undefined ? {} : { shadow }),
      rulesOf,
      refusedModels: refused,
      warmed: host.warmed,
      waiting: () => host.waiting,
      tensors: () => opened.tensors(),
      isUp: () => host.isUp(),
      watch,
      close: () => {
        shadow?.close();
        return host.close();
      },
    };
  } catch (error) {
    await host.close();
    throw error;
  }
}
