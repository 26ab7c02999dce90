import { Type } from '../core/schema.ts';
import { isEpochList } from '../core/isEpochList.ts';
import { MAX_ENTRIES, MIN_ENTRIES } from '../core/units.ts';
import { TickRequestSchema } from './tickForecast.ts';

/** The lists of a body in any of its forms, read only. */
export type TickLists = {
  readonly Timestamp: readonly string[] | readonly number[];
} & ({ readonly Price: readonly number[] } | { readonly Bid: readonly number[]; readonly Ask: readonly number[] });

/** The lists of a body of bars, read only. */
export type BarLists = {
  readonly Timestamp: readonly string[] | readonly number[];
  readonly Close: readonly number[];
  readonly Open?: readonly number[];
  readonly High?: readonly number[];
  readonly Low?: readonly number[];
  readonly Volume?: readonly unknown[];
};

export const isBars = (lists: TickLists | BarLists): lists is BarLists => 'Close' in lists;

const EPOCH = 'Integer milliseconds (13 digits) or microseconds (16) since 1970, UTC, all in one unit; otherwise as texts.';
export const epoch = (minItems: number, maxItems: number) =>
  Type.Array(Type.Number({ examples: [1_704_187_920_478] }), { minItems, maxItems, description: EPOCH });
export const side = (name: string, maxItems: number) =>
  Type.Array(Type.Number({ examples: [101.25] }), {
    maxItems,
    description:
      name === 'ask'
        ? 'One ask for each timestamp.'
        : 'One bid for each timestamp, in place of Price: the price is the mid, rounded to 9 decimals, below 1 to 9 digits after leading zeros.',
  });

/** The lists of bars next to their timestamps. */
export const barPrices = (maxItems: number) => {
  const list = () => Type.Array(Type.Number());
  return {
    Close: Type.Array(Type.Number({ examples: [101.25] }), { maxItems, description: 'One for each timestamp, by the rules of Price.' }),
    Open: Type.Optional(Type.Array(Type.Number(), { description: 'Open, High and Low: all three or none; low <= open, close <= high.' })),
    High: Type.Optional(list()),
    Low: Type.Optional(list()),
    Volume: Type.Optional(
      Type.Array(Type.Nullable(Type.Number()), {
        description: 'Bars of 0 that repeat a close are left out.',
      }),
    ),
  };
};

/** The forms of a body; `future`: whether the last entry is the future one. */
function schemasOf(future: boolean) {
  const [fewest, most] = future ? [MIN_ENTRIES, MAX_ENTRIES] : [MIN_ENTRIES - 1, MAX_ENTRIES - 1];
  const { Timestamp, Price } = TickRequestSchema.properties;
  const text = { ...Timestamp, minItems: fewest, maxItems: most, description: 'Texts, as in TickRequestBody.' };
  const quotes = { Bid: side('bid', most), Ask: side('ask', most) };
  const prices = { Price: { ...Price, maxItems: most } };
  return {
    textPrices: Type.Object({ Timestamp: text, ...prices }),
    epochPrices: Type.Object({ Timestamp: epoch(fewest, most), ...prices }),
    textQuotes: Type.Object({ Timestamp: text, ...quotes }),
    epochQuotes: Type.Object({ Timestamp: epoch(fewest, most), ...quotes }),
    textBars: Type.Object({ Timestamp: text, ...barPrices(most) }),
    epochBars: Type.Object({ Timestamp: epoch(fewest, most), ...barPrices(most) }),
  };
}

/** With a future entry, and without one for `?horizons=`. The first form of the first group is TickRequestSchema. */
export const TICK_FORMS = { future: { ...schemasOf(true), textPrices: TickRequestSchema }, observed: schemasOf(false) };

export type BarForm = 'textBars' | 'epochBars';
export type TickForm = Exclude<keyof (typeof TICK_FORMS)['future'], BarForm>;

/** Bars whose timestamps are texts or numbers, for the documentation. */
const barBody = (minItems: number, maxItems: number) => {
  const Timestamp = Type.Unsafe<readonly string[] | readonly number[]>({
    anyOf: ['string', 'number'].map((type) => ({ type: 'array', items: { type }, minItems, maxItems })),
    description:
      'Beginnings or ends of bars of one length, 1 s to 1 day, as `bar_time` says; increasing, bars may be missing. The last is the future timestamp.',
  });
  return Type.Object({ Timestamp, ...barPrices(maxItems) });
};
export const BarRequestSchema = barBody(MIN_ENTRIES, MAX_ENTRIES);

const { textBars: _text, epochBars: _epoch, ...ofTicks } = TICK_FORMS.observed;
const { textPrices, epochPrices, textQuotes, epochQuotes } = TICK_FORMS.future;
/** Body of POST /auth/ti-tick in every form, for the documentation. */
export const AnyTickRequestSchema = Type.Union([textPrices, epochPrices, textQuotes, epochQuotes, BarRequestSchema, ofTicks.textPrices], {
  description: 'With `?horizons=` or `?horizon_bars=`, every form comes without the future entry: 199 to 3000 entries.',
});

/** The lists of a body in any of its forms, with a future entry or without. */
export const TickListsSchema = Type.Union([
  ...([ofTicks.textPrices, ofTicks.epochPrices, ofTicks.textQuotes, ofTicks.epochQuotes] as const),
  barBody(MIN_ENTRIES - 1, MAX_ENTRIES - 1),
]);

const BAR_FIELDS = ['Close', 'Open', 'High', 'Low'] as const;

/** Which form a body has; one that has none is checked, and refused, as the first form. */
export function formOf(body: unknown): TickForm | BarForm {
  const form = tickFormOf(body);
  const isBarBody = /Prices$/.test(form) && !hasField(body, 'Price') && BAR_FIELDS.some((name) => hasField(body, name));
  return isBarBody ? barFormOf(body) : form;
}

/** The same for ticks alone, and for bars alone. */
export function tickFormOf(body: unknown): TickForm {
  const isQuotes = !hasField(body, 'Price') && (hasField(body, 'Bid') || hasField(body, 'Ask'));
  return hasEpochs(body) ? (isQuotes ? 'epochQuotes' : 'epochPrices') : isQuotes ? 'textQuotes' : 'textPrices';
}

export const barFormOf = (body: unknown): BarForm => (hasEpochs(body) ? 'epochBars' : 'textBars');

const hasField = (body: unknown, name: string): boolean => typeof body === 'object' && body !== null && Object.hasOwn(body, name);

function hasEpochs(body: unknown): boolean {
  const { Timestamp } = (body ?? {}) as { Timestamp?: unknown };
  return Array.isArray(Timestamp) && isEpochList(Timestamp);
}
