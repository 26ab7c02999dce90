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

/** `bench/<name>.ts` exports one of these as `bench`; it does nothing until `run` is called. */
export type Bench = {
  readonly name: string;
  /** One sentence: what is measured, on what input. */
  readonly about: string;
  /** `only`: the rows whose case holds this text, in benches that take minutes. */
  run(only?: string): Promise<BenchRow[]>;
};
