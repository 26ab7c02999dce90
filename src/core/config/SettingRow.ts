type Kind = 'text' | 'integer' | 'boolean' | { readonly oneOf: readonly string[] };

export type SettingRow = {
  readonly kind: Kind;
  readonly default: string;
  /** Bounds of an integer, both inclusive. */
  readonly min?: number;
  readonly max?: number;
  /** A word that is also allowed. */
  readonly also?: string;
  /** One sentence for docs and --help. */
  readonly about: string;
  /** Never logged or shown. */
  readonly secret?: true;
};
