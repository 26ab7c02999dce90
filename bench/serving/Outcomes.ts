/** Outcomes of the requests of a load, in the order in which they were due. Milliseconds. */
export type Outcomes = {
  /** Due times, from the start of the load. In a closed loop, a request is due when it is sent. */
  readonly dueMs: Float64Array;
  /** Time from due until the whole answer was read; NaN without an answer. */
  readonly latencyMs: Float64Array;
  /** HTTP status; 0 without an answer. */
  readonly status: Uint16Array;
};

/** Report of the load generator process. */
export type LoadReport = Outcomes & {
  /** CPU of the load generator process during the load. */
  readonly generatorCpuMs: number;
  readonly connectionsOpened: number;
};
