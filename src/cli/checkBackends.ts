import type { Settings } from '../config/settings.ts';
import type { BackendReport } from '../runtime/probeBackends.ts';
import type { Check } from './Check.ts';

/**
 * Tries every backend in a process of its own and times it, best first. One fails the machine only where RUNTIME_BACKEND asks for it, or
 * where none works.
 */
export async function checkBackends(wanted: Settings['runtimeBackend'], environment: NodeJS.ProcessEnv): Promise<Check[]> {
  // Imported late: the other checks need no TensorFlow.js, and answer even where it cannot be loaded.
  const { probeBackends } = await import('../runtime/probeBackends.ts');
  const reports = await probeBackends(environment);
  return judgeBackends(wanted, reports);
}

/** The findings on what the probes reported. */
export function judgeBackends(wanted: Settings['runtimeBackend'], reports: readonly BackendReport[]): Check[] {
  const anyWorks = reports.some(({ report }) => report.works === true);
  return reports.map(({ backend, report }) => {
    if (report.works === true) {
      const timed = `an LSTM forward pass in ${report.forwardMs.toFixed(2)} ms (B=1 T=96 F=12 H=48, median)`;
      return { name: backend, verdict: 'works', detail: `${report.description}; ${timed}` };
    }
    const isNeeded = wanted === backend || !anyWorks;
    if (report.works === 'absent')
      return { name: backend, verdict: isNeeded ? 'fails' : 'absent', detail: report.reason, remedy: sentence(report.remedy) };
    const remedy = isNeeded ? 'Mend it, or set RUNTIME_BACKEND to auto or to one that works.' : undefined;
    return { name: backend, verdict: isNeeded ? 'fails' : 'warns', detail: report.reason, ...(remedy === undefined ? {} : { remedy }) };
  });
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
