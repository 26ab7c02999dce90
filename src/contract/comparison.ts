import { Type } from '../core/schema.ts';

const orNull = (description: string) => Type.Nullable(Type.Number(), { description });

/** A baseline of a score next to the volatility baseline, and which of both the conclusion refers to. */
export const BASE_RATE_BRIER = orNull('The same for the base rate so far: the fraction of earlier outcomes that moved.');

export const BASE_RATE_FIELDS = {
  base_rate_difference: orNull('base_rate_brier - brier.'),
  base_rate_interval: Type.Nullable(
    Type.Unsafe<readonly [number, number]>({ type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 2 }),
    { description: '99 % interval of base_rate_difference.' },
  ),
  rival: Type.Unsafe<'baseline' | 'base_rate' | null>({
    enum: ['baseline', 'base_rate', null],
    description: 'The better baseline: the conclusion is against it.',
  }),
};
