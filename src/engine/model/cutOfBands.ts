/**
 * Decision thresholds of a version from before: band i of ln(theta / theta*) ends at upper[i] (inclusive), and null means that the head
 * abstains there.
 */
export type Bands = { readonly upper: readonly number[]; readonly decision: readonly (number | null)[] };

export const BANDS_SCHEMA = {
  type: 'object',
  properties: {
    upper: { type: 'array', items: { type: 'number' }, minItems: 1, maxItems: 16 },
    decision: { type: 'array', items: { type: ['number', 'null'], minimum: 0, maximum: 1 }, minItems: 1, maxItems: 16 },
  },
  required: ['upper', 'decision'],
  additionalProperties: false,
} as const;

export const CUT_SCHEMA = { type: ['number', 'null'], minimum: 0, maximum: 1 } as const;

/** A head with a cut; one with bands gets their value at theta* (docs/adr/0054). */
export function withCut<T extends object>(head: T & { readonly bands?: Bands }): T & { readonly cut: number | null } {
  const { bands, ...rest } = head;
  if (bands === undefined) return head as T & { readonly cut: number | null };
  const own = bands.upper.findIndex((upper) => upper >= 0);
  return { ...(rest as T), cut: bands.decision.at(own) ?? null };
}
