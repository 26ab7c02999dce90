/** One measured figure, with its peer measured in the same run where there is one. */
export type BenchRow = {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  /** What it is compared with, and that one's figure in the same unit. */
  readonly peer?: string;
  readonly peerValue?: number;
  /** How many times better ours is: peerValue / value, or of a rate value / peerValue. */
  readonly ratio?: number;
  /** What the project asks for, in words: `<= 10 us`. */
  readonly target?: string;
};

/** Tables of a shape of their own, for what rows of one figure would hide. */
export type BenchReport = {
  /** One sentence each: machine, effort, how to read them. */
  readonly about: readonly string[];
  readonly tables: readonly { readonly title: string; readonly head: readonly string[]; readonly lines: readonly (readonly string[])[] }[];
};

/** Options of the command line that a part of a bench takes. */
export type BenchOptions = {
  readonly sides?: string | undefined;
  readonly rounds?: string | undefined;
  readonly quick?: boolean | undefined;
};

/** `bench/<name>.ts` exports one of these as `bench`; it does nothing until `run` is called. */
export type Bench = {
  readonly name: string;
  /** One sentence: what is measured, on what input. */
  readonly about: string;
  /** `only`: the rows whose case holds this text, in benches that take minutes. */
  run(only?: string, options?: BenchOptions): Promise<BenchRow[] | BenchReport>;
};
