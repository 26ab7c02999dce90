/** Guarantees of the service while its parts fail. Each check of the run belongs to one of them. */
const PROMISES = {
  right: 'no answer is wrong',
  documented: 'each answer is documented: status, problem+json, Retry-After with 429 and 503',
  answered: 'each request is answered in time, or its connection closed',
  kept: 'connections are closed without an answer only by faults that close them',
  live: '/health/live answers 200 within 1 s',
  up: 'no process exits by itself',
  recovers: 'ready, complete and correct within 15 s after each fault',
  ready: '/health/ready is 503 while an inference process is down or hangs',
  keys: 'a valid key is never rejected',
  accounts: 'each acknowledged account exists after kill -9 and a restart',
  memory: 'slow bodies take less than 320 MB',
  room: 'slow bodies of one account leave memory for the batches of another',
  fair: 'floods of connections leave three of four forecasts of another caller served',
  alerts: 'slow targets and slow names delay no alert of another account beyond 5 s',
  versions: 'a new version is served, a corrupt one is not',
  single: 'a service has at most one inference process, whatever its workers',
  resumed: 'each live forecast that is not skipped, and its outcome, comes once, also after a lost connection and kill -9',
  counted: 'the track record counts no live outcome twice, and none is lost without a lost connection',
  drained: 'SIGTERM: live connections are told, and closed with 1001',
  stops: 'SIGTERM: exit code 0 within the grace time, and no process is left',
  dies: 'kill -9: no process is left after 5 s',
} as const;

export type PromiseName = keyof typeof PROMISES;

/** One check: `fault` describes how the promise was broken; absent if it held. */
export type Finding = { readonly promise: PromiseName; readonly fault?: string | undefined };

/** Counts the outcome of each request and of each check. */
export class Ledger {
  readonly #held = new Map<PromiseName, number>();
  readonly #broken = new Map<PromiseName, number>();
  readonly #outcomes = new Map<string, Map<string, number>>();
  readonly #onBroken: (finding: Finding, count: number) => void;

  constructor(onBroken: (finding: Finding, count: number) => void) {
    this.#onBroken = onBroken;
  }

  check(promise: PromiseName, fault?: string): void {
    const counts = fault === undefined ? this.#held : this.#broken;
    counts.set(promise, (counts.get(promise) ?? 0) + 1);
    if (fault !== undefined) this.#onBroken({ promise, fault }, this.broken(promise));
  }

  count(kind: string, outcome: string): void {
    const outcomes = this.#outcomes.get(kind) ?? new Map<string, number>();
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    this.#outcomes.set(kind, outcomes);
  }

  broken(promise: PromiseName): number {
    return this.#broken.get(promise) ?? 0;
  }

  get brokenPromises(): PromiseName[] {
    return (Object.keys(PROMISES) as PromiseName[]).filter((name) => this.broken(name) > 0);
  }

  /** Requests that were answered with a status. */
  get answers(): number {
    const all = [...this.#outcomes.values()].flatMap((outcomes) => [...outcomes]);
    return all.reduce((sum, [outcome, count]) => sum + (/^\d+$/.test(outcome) ? count : 0), 0);
  }

  /** Two tables: requests by outcome, promises by checks. */
  lines(): string[] {
    const requests = [...this.#outcomes].sort().map(([kind, outcomes]) => {
      const counts = [...outcomes].sort().map(([outcome, count]) => `${outcome}: ${count}`);
      return `  ${kind.padEnd(18)} ${counts.join(', ')}`;
    });
    const promises = (Object.keys(PROMISES) as PromiseName[]).map((name) => {
      const [held, broken] = [this.#held.get(name) ?? 0, this.broken(name)];
      const state = broken > 0 ? 'BROKEN' : held > 0 ? 'held' : 'untested';
      return `  ${state.padEnd(8)} ${name.padEnd(11)} ${`${held + broken} checks, ${broken} broken`.padEnd(26)} ${PROMISES[name]}`;
    });
    return ['requests by outcome', ...requests, 'promises', ...promises];
  }
}
