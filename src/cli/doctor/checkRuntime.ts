import { modelFolders } from '../../service/app/openRegistry.ts';
import { processEnvironment } from '../../core/config/processEnvironment.ts';
import type { Settings } from '../../core/config/settings.ts';
import { loadCatalog } from '../../engine/model/loadCatalog.ts';
import { runProgram } from '../../engine/native/runProgram.ts';
import { defaultRuleSetPath, loadRuleSet } from '../../engine/rules/loadRuleSet.ts';
import type { BackendReport } from '../../engine/runtime/openRuntime.ts';
import { type Check, failedCheck } from './checkMachine.ts';

/**
 * Tests and times every backend in a separate process, best first. A broken backend is a failure only if
 * RUNTIME_BACKEND names it or if none works.
 */
export async function checkBackends(wanted: Settings['runtimeBackend'], environment: NodeJS.ProcessEnv): Promise<Check[]> {
  // Imported late: the other checks must work even if TensorFlow.js cannot be loaded.
  const { probeBackends } = await import('../../engine/runtime/openRuntime.ts');
  const reports = await probeBackends(environment);
  return checksOfBackends(wanted, reports);
}

/** The checks for the reports of the probes. */
export function checksOfBackends(wanted: Settings['runtimeBackend'], reports: readonly BackendReport[]): Check[] {
  const anyWorks = reports.some(({ report }) => report.works === true);
  return reports.map(({ backend, report }) => {
    if (report.works === true) {
      const timed = `an LSTM forward pass in ${report.forwardMs.toFixed(2)} ms (B=1 T=96 F=12 H=48, median)`;
      return { name: backend, verdict: 'works', detail: `${report.description}; ${timed}` };
    }
    const isNeeded = wanted === backend || !anyWorks;
    if (report.works === 'absent')
      return { name: backend, verdict: isNeeded ? 'fails' : 'absent', detail: report.reason, remedy: sentence(report.remedy) };
    const remedy = isNeeded ? 'Fix it, or set RUNTIME_BACKEND to auto or to a backend that works.' : undefined;
    return { name: backend, verdict: isNeeded ? 'fails' : 'warns', detail: report.reason, remedy };
  });
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

const QUERY = ['--query-gpu=name,memory.total,memory.free,driver_version', '--format=csv,noheader,nounits'];

/** The NVIDIA GPUs that the driver shows: name, memory, driver. The service does not need one. */
export async function checkGpu(program = 'nvidia-smi', args: readonly string[] = QUERY): Promise<Check> {
  const { code, output } = await runProgram(program, args, { environment: processEnvironment() });
  const gpus = output
    .split('\n')
    .map((line) => line.split(',').map((cell) => cell.trim()))
    .filter((cells) => cells.length === 4);
  if (code === 0 && gpus.length > 0) {
    const texts = gpus.map(([name, total, free, driver]) => `${name}, ${free} MiB free of ${total} MiB, driver ${driver}`);
    return { name: 'gpu', verdict: 'works', detail: texts.join('; ') };
  }
  if (code === null) return { name: 'gpu', verdict: 'absent', detail: 'no NVIDIA driver is installed (there is no nvidia-smi)' };
  return { name: 'gpu', verdict: 'absent', detail: `nvidia-smi shows no GPU: ${output.trim().split('\n')[0] ?? ''}` };
}

/** Checks the files of every version against their hashes. A broken own version is a warning as long as another can be served. */
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
