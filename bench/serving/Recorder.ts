import type { LoadReport } from './Outcomes.ts';

/** Records the outcome of each request of one load. Times are milliseconds from its start. */
export class Recorder {
  readonly #startMs = performance.now();
  readonly #startCpu = process.cpuUsage();
  readonly #dueMs: number[] = [];
  readonly #latencyMs: number[] = [];
  readonly #status: number[] = [];
  connectionsOpened = 0;

  nowMs(): number {
    return performance.now() - this.#startMs;
  }

  /** Adds a due request; returns its number. */
  add(dueMs: number): number {
    this.#latencyMs.push(NaN);
    this.#status.push(0);
    return this.#dueMs.push(dueMs) - 1;
  }

  answered(request: number, status: number): void {
    this.#latencyMs[request] = this.nowMs() - this.#dueMs[request];
    this.#status[request] = status;
  }

  report(): LoadReport {
    const { user, system } = process.cpuUsage(this.#startCpu);
    return {
      dueMs: Float64Array.from(this.#dueMs),
      latencyMs: Float64Array.from(this.#latencyMs),
      status: Uint16Array.from(this.#status),
      generatorCpuMs: (user + system) / 1000,
      connectionsOpened: this.connectionsOpened,
    };
  }
}
