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

export const text = (preset: string, about: string) => ({ kind: 'text', default: preset, about }) as const;
export const flag = (preset: boolean, about: string) => ({ kind: 'boolean', default: String(preset), about }) as const;
export const oneOf = <const Words extends readonly string[]>(words: Words, preset: Words[number], about: string) => ({
  ...{ kind: { oneOf: words }, default: preset as string, about },
});
/** `range`: least and most, both allowed. */
export const whole = (preset: number, [min, max]: readonly [number, number], about: string) =>
  ({ kind: 'integer', default: String(preset), min, max, about }) as const;
export const wholeOrAuto = (range: readonly [number, number], about: string) =>
  ({ ...whole(0, range, about), default: 'auto', also: 'auto' }) as const;
