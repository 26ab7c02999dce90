/** One measured figure, with its peer from the same run if there is one. */
export type BenchRow = {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  /** Name of the peer, and its figure in the same unit. */
  readonly peer?: string;
  readonly peerValue?: number;
  /** How many times better tickmark is: peerValue / value, or value / peerValue for a rate. */
  readonly ratio?: number;
  /** The target of the project, such as `<= 10 us`. */
  readonly target?: string;
};

/** Tables with their own columns, for results that do not fit into rows of one figure. */
export type BenchReport = {
  /** A promise that the bench checks did not hold: the exit code is 1. */
  readonly isFailed?: boolean;
  /** Sentences on machine, effort and how to read the tables. */
  readonly about: readonly string[];
  readonly tables: readonly { readonly title: string; readonly head: readonly string[]; readonly lines: readonly (readonly string[])[] }[];
};

/** Options of the command line that a part of a bench accepts. */
export type BenchOptions = {
  /** Of a bench with `takesFiles`. */
  readonly files?: readonly string[] | undefined;
  readonly quick?: boolean | undefined;
  readonly short?: boolean | undefined;
};

/** `bench/<name>.ts` exports one as `bench`; importing it must have no effect until `run` is called. */
export type Bench = {
  readonly name: string;
  /** One sentence: the measurement and its input. */
  readonly about: string;
  /** The command line may name files. */
  readonly takesFiles?: true;
  /** `only` selects the rows whose case contains this text, in benches that take minutes. */
  run(only?: string, options?: BenchOptions): Promise<BenchRow[] | BenchReport>;
};
