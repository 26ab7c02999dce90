import { Type } from '../core/schema.ts';
import { isEpochList } from '../core/isEpochList.ts';
import { MAX_CLOSES, MAX_ENTRIES, MIN_ENTRIES } from '../core/units.ts';
import { ClosesSchema, TickRequestSchema } from './tickForecast.ts';

/** The lists of a body in any of its forms, read only. */
export type TickLists = {
  readonly Timestamp: readonly string[] | readonly number[];
  readonly Closes?: { readonly Timestamp: readonly string[] | readonly number[]; readonly Price: readonly number[] };
} & ({ readonly Price: readonly number[] } | { readonly Bid: readonly number[]; readonly Ask: readonly number[] });

const strict = { additionalProperties: false };

const EPOCH =
  'Integer milliseconds (13 digits) or microseconds (16 digits) since 1970, UTC, all in the unit of the first one; otherwise as for texts.';
export const epoch = (minItems: number, maxItems: number) =>
  Type.Array(Type.Number({ examples: [1_704_187_920_478] }), { minItems, maxItems, description: EPOCH });
export const side = (name: string, maxItems: number) =>
  Type.Array(Type.Number({ examples: [101.25] }), {
    maxItems,
    description: `One ${name} for each timestamp, in place of Price: the price is the mid of bid and ask, rounded to 9 decimals, below 1 to 9 digits after the leading zeros.`,
  });

const { Price: closePrice } = ClosesSchema.properties;
/** One-minute closes whose timestamps are numbers. */
export const EpochClosesSchema = Type.Object({ Timestamp: epoch(1, MAX_CLOSES), Price: closePrice }, strict);

/** The forms of a body; `future`: whether the last entry is the future one. */
function schemasOf(future: boolean) {
  const [fewest, most] = future ? [MIN_ENTRIES, MAX_ENTRIES] : [MIN_ENTRIES - 1, MAX_ENTRIES - 1];
  const { Timestamp, Price } = TickRequestSchema.properties;
  const text = { ...Timestamp, minItems: fewest, maxItems: most };
  const quotes = { Bid: side('bid', most), Ask: side('ask', most) };
  const prices = { Price: { ...Price, maxItems: most } };
  const textCloses = { Closes: Type.Optional(ClosesSchema) };
  const epochCloses = { Closes: Type.Optional(EpochClosesSchema) };
  return {
    textPrices: Type.Object({ Timestamp: text, ...prices, ...textCloses }, strict),
    epochPrices: Type.Object({ Timestamp: epoch(fewest, most), ...prices, ...epochCloses }, strict),
    textQuotes: Type.Object({ Timestamp: text, ...quotes, ...textCloses }, strict),
    epochQuotes: Type.Object({ Timestamp: epoch(fewest, most), ...quotes, ...epochCloses }, strict),
  };
}

/** With a future entry, and without one for `?horizons=`. The first form of the first group is TickRequestSchema. */
export const TICK_FORMS = { future: { ...schemasOf(true), textPrices: TickRequestSchema }, observed: schemasOf(false) };

export type TickForm = keyof (typeof TICK_FORMS)['future'];

/** Body of POST /auth/ti-tick in every form, for the documentation. */
export const AnyTickRequestSchema = Type.Union(
  [TickRequestSchema, ...Object.values(TICK_FORMS.future).filter((schema) => schema !== TickRequestSchema), TICK_FORMS.observed.textPrices],
  { description: 'With `?horizons=`, every form comes without the future entry: 199 to 3000 entries.' },
);

/** The lists of a body in any of its forms, with a future entry or without. */
export const TickListsSchema = Type.Union(Object.values(TICK_FORMS.observed));

/** Which form a body has; one that has none is checked, and refused, as the first form. */
export function formOf(body: unknown): TickForm {
  if (typeof body !== 'object' || body === null) return 'textPrices';
  const { Timestamp } = body as { Timestamp?: unknown };
  const isEpoch = Array.isArray(Timestamp) && isEpochList(Timestamp);
  const isQuotes = !Object.hasOwn(body, 'Price') && (Object.hasOwn(body, 'Bid') || Object.hasOwn(body, 'Ask'));
  return isEpoch ? (isQuotes ? 'epochQuotes' : 'epochPrices') : isQuotes ? 'textQuotes' : 'textPrices';
}
