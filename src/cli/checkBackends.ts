import type { Settings } from '../config/settings.ts';
import type { BackendReport } from '../runtime/probeBackends.ts';
import type { Check } from './Check.ts';

/**
 * Tests and times every backend in a separate process, best first. A broken backend is a failure only if
 * RUNTIME_BACKEND names it or if none works.
 */
export async function checkBackends(wanted: Settings['runtimeBackend'], environment: NodeJS.ProcessEnv): Promise<Check[]> {
  // Imported late: the other checks must work even if TensorFlow.js cannot be loaded.
  const { probeBackends } = await import('../runtime/probeBackends.ts');
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
    return { name: backend, verdict: isNeeded ? 'fails' : 'warns', detail: report.reason, ...(remedy === undefined ? {} : { remedy }) };
  });
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
