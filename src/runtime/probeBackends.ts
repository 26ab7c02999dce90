import type { ProcessEnvironment } from './BackendCandidate.ts';
import { BACKENDS } from './openRuntime.ts';
import { probeInChild, type ProbeReport } from './probeInChild.ts';
import type { BackendName } from './Runtime.ts';

export type BackendReport = {
  readonly backend: BackendName;
  /** `absent`: its parts are not installed; `remedy` is the command that installs them. */
  readonly report: ProbeReport | { readonly works: 'absent'; readonly reason: string; readonly remedy: string };
};

/** Probes every backend, best first, one after the other, each in its own process. Never throws. */
export async function probeBackends(environment: ProcessEnvironment): Promise<BackendReport[]> {
  const reports: BackendReport[] = [];
  for (const candidate of BACKENDS) {
    const missing = candidate.missing();
    const report = missing === undefined ? await probeInChild(candidate.name, { environment }) : { works: 'absent' as const, ...missing };
    reports.push({ backend: candidate.name, report });
  }
  return reports;
}
