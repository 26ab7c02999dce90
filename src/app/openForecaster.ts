import { tensorflowEnvironment, type Settings } from '../config/settings.ts';
import { systemClock, type Clock } from '../core/Clock.ts';
import { Forecaster } from '../forecast/Forecaster.ts';
import { openInProcessHost } from '../inference/openInProcessHost.ts';
import type { WarmedBatch } from '../inference/warmUp.ts';
import { catalogOf } from '../model/catalogOf.ts';
import { loadCatalog, type LoadedCatalog } from '../model/loadCatalog.ts';
import type { ModelCatalog } from '../model/ModelManifest.ts';
import { defaultRuleSetPath, loadRuleSet } from '../rules/loadRuleSet.ts';
import type { RuleSet } from '../rules/RuleSet.ts';
import { openRuntime } from '../runtime/openRuntime.ts';
import type { Runtime } from '../runtime/Runtime.ts';
import { modelFolders } from './modelFolders.ts';

/** Everything that answers a forecast, without accounts and HTTP. */
export type OpenForecaster = {
  readonly forecaster: Forecaster;
  readonly runtime: Runtime;
  readonly models: ModelCatalog;
  readonly ruleSet: RuleSet;
  /** Model folders that were passed over, with the reason. */
  readonly refusedModels: LoadedCatalog['refused'];
  /** Measured at the start, by batch size: how the network is run. */
  readonly warmed: readonly WarmedBatch[];
  close(): Promise<void>;
};

export type ForecasterOptions = {
  readonly clock?: Clock;
  /** Batch sizes to measure first; default: those of a service. */
  readonly batches?: readonly number[];
};

/**
 * Opens the backend, loads and checks rules and models, and joins them. Called by the service and by `tickmark predict`.
 * Throws ServiceError `runtime.refused`, `model.refused`, `rules.refused`, `file.unreadable`; nothing is left open then.
 */
export async function openForecaster(
  settings: Pick<Settings, 'modelsDir' | 'model' | 'rulesFile' | 'runtimeBackend'>,
  { clock = systemClock, batches }: ForecasterOptions = {},
): Promise<OpenForecaster> {
  const ruleSet = await loadRuleSet(settings.rulesFile === '' ? defaultRuleSetPath() : settings.rulesFile);
  const loaded = loadCatalog(modelFolders(settings), settings.model);
  const models = catalogOf(loaded);
  const runtime = await openRuntime(settings.runtimeBackend, { environment: tensorflowEnvironment() });
  const host = openInProcessHost(loaded.versions, { ...runtime, ...(batches === undefined ? {} : { batches }) });
  const forecaster = new Forecaster({ host, models, ruleSet, clock });
  return { forecaster, runtime, models, ruleSet, refusedModels: loaded.refused, warmed: host.warmed, close: () => host.close() };
}
