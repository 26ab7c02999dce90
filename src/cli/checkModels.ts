import { modelFolders } from '../app/modelFolders.ts';
import type { Settings } from '../config/settings.ts';
import { systemClock } from '../core/Clock.ts';
import { loadCatalog } from '../model/loadCatalog.ts';
import { defaultRuleSetPath, loadRuleSet } from '../rules/loadRuleSet.ts';
import { failedCheck, type Check } from './Check.ts';

const BACKENDS = ['wasm', 'cpu'] as const;
const TIMED_RUNS = 15;

/** Every version's files against their hashes. A broken one of the owner's is a warning while another can answer. */
export function checkModels(settings: Settings): Check {
  try {
    const { versions, defaultId, refused } = loadCatalog(modelFolders(settings), settings.model);
    const detail = `${versions.length} verified, ${defaultId} answers by default`;
    if (refused.length === 0) return { name: 'models', verdict: 'works', detail };
    return {
      ...failedCheck('models', refused[0]?.error, 'warns'),
      detail: `${detail}; ${refused.map(({ error }) => error.message).join(' ')}`,
    };
  } catch (error) {
    return failedCheck('models', error);
  }
}

export async function checkRules(settings: Settings): Promise<Check> {
  try {
    const { id, hash } = await loadRuleSet(settings.rulesFile === '' ? defaultRuleSetPath() : settings.rulesFile);
    return { name: 'rules', verdict: 'works', detail: `${id}, hash ${hash.slice(0, 12)}` };
  } catch (error) {
    return failedCheck('rules', error);
  }
}

/**
 * Opens each backend and times the default model on it, one row at a time. A backend fails the machine only where it is the one that
 * RUNTIME_BACKEND asks for, or where none works.
 */
export async function checkBackends(settings: Settings): Promise<Check[]> {
  const checks: Check[] = [];
  for (const backend of BACKENDS) checks.push(await checkBackend(settings, backend));
  const isNeeded = (name: string): boolean => settings.runtimeBackend === name || checks.every(({ verdict }) => verdict !== 'works');
  return checks.map((check) => (check.verdict === 'warns' && isNeeded(check.name) ? { ...check, verdict: 'fails' } : check));
}

async function checkBackend(settings: Settings, backend: (typeof BACKENDS)[number]): Promise<Check> {
  try {
    // Imported late: the other checks need no TensorFlow.js, and answer even where it cannot be loaded.
    const { openRuntime } = await import('../runtime/openRuntime.ts');
    const { openInProcessHost } = await import('../inference/openInProcessHost.ts');
    const { description } = await openRuntime(backend);
    const { versions, defaultId } = loadCatalog(modelFolders(settings), settings.model);
    const version = versions.filter(({ manifest }) => manifest.id === defaultId);
    const golden = version[0]?.golden.rows[0];
    if (golden === undefined) return { name: backend, verdict: 'works', detail: description };
    const host = openInProcessHost(version);
    const row = { ...golden, sequence: Float32Array.from(golden.sequence), context: Float32Array.from(golden.context) };
    const timesMs: number[] = [];
    for (let run = 0; run < TIMED_RUNS; run++) {
      const startMs = systemClock.monotonicMs();
      await host.infer(defaultId, row);
      timesMs.push(systemClock.monotonicMs() - startMs);
    }
    await host.close();
    const medianMs = timesMs.sort((a, b) => a - b)[TIMED_RUNS >> 1] as number;
    return {
      name: backend,
      verdict: 'works',
      detail: `${description}; one forecast's network in ${medianMs.toFixed(2)} ms (median of ${TIMED_RUNS})`,
    };
  } catch (error) {
    return failedCheck(backend, error, 'warns');
  }
}
