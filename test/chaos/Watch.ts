import { readFileSync } from 'node:fs';
import type { Allowances } from './Allowances.ts';
import type { Callers } from './Callers.ts';
import type { Ledger } from './Ledger.ts';
import type { Service } from './Service.ts';

const LIVE_EVERY_MS = 250;
const PROCESSES_EVERY_MS = 500;
/** Two inference processes of one service may overlap for so long. */
const OVERLAP_MS = 2000;
/** A process that waits for a processor for more than this fraction of its time cannot answer in time: the machine is busy with something else. */
const MOST_WAITING = 0.2;

/** How long the main thread of a process was ready to run and waited for a processor, ms (Linux: sched-stats.rst). */
function waitedMs(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
  } catch {
    // It has ended, or the system does not tell.
    return 0;
  }
}

export type WatchDeps = { readonly service: Service; readonly callers: Callers; readonly ledger: Ledger; readonly allowances: Allowances };

/** Looks at the service all the time: whether it is live, and which processes it has. Returns what ends that. */
export function watch({ service, callers, ledger, allowances }: WatchDeps): () => void {
  let probes = 0;
  const live = setInterval(() => void callers.live(probes++ % 2 === 0), LIVE_EVERY_MS);

  let known = new Set<number>();
  let crowdedSinceMs = Infinity;
  let lookedMs = performance.now();
  let waited = new Map<number, number>();
  const look = (): void => {
    const nowMs = performance.now();
    const { all, services, inference } = service.processes();
    const pids = new Set([...services, ...inference].map(({ pid }) => pid));
    const gone = [...known].filter((pid) => !all.some((each) => each.pid === pid));
    const mayEnd = allowances.overlapMs('restart', nowMs - PROCESSES_EVERY_MS, nowMs) > 0;
    ledger.check('up', gone.length === 0 || mayEnd ? undefined : `process ${gone.join(' and ')} ended by itself`);
    known = pids;
    const waitedNow = new Map([...pids, process.pid].map((pid) => [pid, waitedMs(pid)]));
    const isStarved = [...waitedNow].some(([pid, ms]) => ms - (waited.get(pid) ?? ms) > MOST_WAITING * (nowMs - lookedMs));
    if (isStarved) allowances.begin(['delay'], lookedMs)();
    ledger.count('(machine)', isStarved ? 'busy with something else' : 'free');
    waited = waitedNow;
    lookedMs = nowMs;
    crowdedSinceMs = inference.length > 1 ? Math.min(crowdedSinceMs, nowMs) : Infinity;
    const isCrowded = nowMs - crowdedSinceMs > OVERLAP_MS;
    ledger.check('single', isCrowded ? `${inference.length} inference processes` : undefined);
  };
  const processes = setInterval(look, PROCESSES_EVERY_MS);

  let isOver = false;
  void service.ended.then((how) => isOver || ledger.check('up', `the service ended: ${how}`));
  return () => {
    isOver = true;
    for (const timer of [live, processes]) clearInterval(timer);
  };
}
