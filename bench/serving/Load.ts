/** Message to the load generator process. One load at a time. */
export type Target = {
  readonly port: number;
  /** JSON file with an array of bodies, used round-robin. */
  readonly bodiesFile: string;
  /** Values of the Api-Key header, used round-robin. */
  readonly keys: readonly string[];
  /** Query with its question mark; none if absent. */
  readonly query?: string;
};

/** Each connection sends its next request when it has its answer. */
export type ClosedLoad = Target & {
  readonly kind: 'closed';
  readonly connections: number;
  readonly seconds: number;
};

/** Requests are due at a constant rate in each phase, or as from many independent callers (Poisson) with a seed, whether earlier ones are answered or not. If no connection is free, another one is opened. */
export type OpenLoad = Target & {
  readonly kind: 'open';
  readonly phases: readonly { readonly rate: number; readonly seconds: number }[];
  /** Seed of Poisson arrivals; left out: a constant rate. */
  readonly poissonSeed?: number;
  /** Connections that are open before the first request is due; default: as many as wait during an overload. */
  readonly firstConnections?: number;
};

export type Load = ClosedLoad | OpenLoad;
export type Untargeted = Omit<ClosedLoad, keyof Target> | Omit<OpenLoad, keyof Target>;
