/** `inputs.json` of a version: distribution of the context columns of its training rows, at the default threshold of each window. */
export type InputStatistics = {
  readonly format: 'tickmark-inputs/1';
  /** Training rows. */
  readonly rows: number;
  /** In the order of the program's columns. */
  readonly columns: readonly {
    readonly name: string;
    /** Upper edges of the bins (inclusive, strictly ascending, 32-bit floats); the last bin has no edge. */
    readonly edges: readonly number[];
    /** Fraction of the rows in each bin; there is one bin more than edges. */
    readonly shares: readonly number[];
  }[];
};
