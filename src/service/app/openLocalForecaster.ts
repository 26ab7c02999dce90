import { systemClock } from '../../core/Clock.ts';
import type { Settings } from '../../core/config/settings.ts';
import { Forecaster } from '../../engine/forecast/Forecaster.ts';
import { openKernelHost } from '../../engine/inference/openKernelHost.ts';
import { loadCatalog } from '../../engine/model/loadCatalog.ts';
import { loadServedRules } from '../../engine/rules/loadRuleSet.ts';
import type { OpenForecaster } from './openForecaster.ts';
import { modelFolders } from './openRegistry.ts';
import { openSlots } from './openSlots.ts';

/**
 * Answers the forecasts of one command in this process: on the kernel alone, without TensorFlow.js, unless RUNTIME_BACKEND names a backend that needs it
 * or the machine has no SIMD. Throws as `openForecaster`.
 */
export async function openLocalForecaster(
  settings: Pick<Settings, 'modelsDir' | 'model' | 'rulesFile' | 'runtimeBackend' | 'startTimeoutMs'>,
): Promise<Pick<OpenForecaster, 'forecaster' | 'models' | 'close'>> {
  const { model, runtimeBackend } = settings;
  const host = runtimeBackend === 'auto' || runtimeBackend === 'wasm' ? await openKernel() : undefined;
  if (host === undefined) {
    const { openForecaster } = await import('./openForecaster.ts');
    return openForecaster(settings, { batches: [1] });
  }
  const ruleSet = await loadServedRules(settings);
  const { slots } = await openSlots(host, loadCatalog(modelFolders(settings), model), model !== '');
  return { forecaster: new Forecaster({ host, models: slots, ruleSet, clock: systemClock }), models: slots, close: () => host.close() };
}

/** Undefined without SIMD. */
async function openKernel(): Promise<Awaited<ReturnType<typeof openKernelHost>> | undefined> {
  return openKernelHost().catch(() => undefined);
}
