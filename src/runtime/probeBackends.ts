import type { ProcessEnvironment } from './BackendCandidate.ts';
import { LADDER } from './openRuntime.ts';
import { probeInChild, type ProbeReport } from './probeInChild.ts';
import type { BackendName } from './Runtime.ts';

export type BackendReport = {
  readonly backend: BackendName;
  /** `absent`: its parts are not there, `remedy` is the command that brings them. */
  readonly report: ProbeReport | { readonly works: 'absent'; readonly reason: string; readonly remedy: string };
};

/** Tries every backend of the ladder, best first, each in a process of its own, one after the other. Never throws. */
export async function probeBackends(environment: ProcessEnvironment): Promise<BackendReport[]> {
  const reports: BackendReport[] = [];
  for (const candidate of LADDER) {
    const missing = candidate.missing();
    const report = missing === undefined ? await probeInChild(candidate.name, { environment }) : { works: 'absent' as const, ...missing };
    reports.push({ backend: candidate.name, report });
  }
  return reports;
}
