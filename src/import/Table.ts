/** What the columns of a sample are, for `nameFormat` and the layout. */
export type Table = {
  readonly separator: string;
  /** As `columnName` makes them of the titles in the header. */
  readonly names: readonly string[] | undefined;
  readonly titles: readonly string[] | undefined;
  readonly header: string | undefined;
  readonly skipLines: number;
  readonly rows: readonly (readonly string[])[];
};
