/** What became of each request of a load, in the order in which they were due. Milliseconds. */
export type Outcomes = {
  /** From the start of the load. In a closed loop a request is due when it is sent. */
  readonly dueMs: Float64Array;
  /** From when it was due until its whole answer was read; NaN: there was none. */
  readonly latencyMs: Float64Array;
  /** 0: no answer. */
  readonly status: Uint16Array;
};

/** What the process that made the load says of it. */
export type LoadReport = Outcomes & {
  /** When the load started, milliseconds since 1970. */
  readonly startedAtMs: number;
  /** CPU of the whole process while it made the load. */
  readonly generatorCpuMs: number;
  /** How late requests were written after they were due (open loop), ms. */
  readonly lagP50Ms: number;
  readonly lagP99Ms: number;
  readonly connectionsOpened: number;
};
