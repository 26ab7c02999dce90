/** What the process that makes load is told. One load at a time. */
export type Target = {
  readonly port: number;
  /** JSON: an array of bodies. They take turns. */
  readonly bodiesFile: string;
  /** Values of the Api-Key header, which take turns too. */
  readonly keys: readonly string[];
  /** Of the path, with its question mark; absent: none. */
  readonly query?: string;
};

/** Each connection sends its next request when it has its answer. */
export type ClosedLoad = Target & {
  readonly kind: 'closed';
  readonly connections: number;
  readonly seconds: number;
  /** How long a caller waits after a request that failed, ms; absent: not at all. */
  readonly failurePauseMs?: number;
};

/** Requests are due at a constant rate in each phase, whether those before are answered or not. A connection is opened where none is free. */
export type OpenLoad = Target & {
  readonly kind: 'open';
  readonly phases: readonly { readonly rate: number; readonly seconds: number }[];
  /** Open before the first request is due; where absent, as many as wait in a spell of overload. */
  readonly firstConnections?: number;
};

export type Load = ClosedLoad | OpenLoad;
