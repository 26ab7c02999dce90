import { Type } from '../core/schema.ts';
import { MAX_ENTRIES } from '../core/units.ts';
import { type BarForm, barPrices, epoch, side, type TickForm } from './tickForms.ts';

/** Most ticks of one message. */
export const LIVE_MESSAGE_TICKS = MAX_ENTRIES - 1;

const stamps = () => ({
  text: Type.Array(Type.String({ examples: ['2024-01-02 09:32:00.478'] }), {
    minItems: 1,
    maxItems: LIVE_MESSAGE_TICKS,
    description: 'As in POST /auth/ti-tick: texts in UTC or with an offset.',
  }),
  number: epoch(1, LIVE_MESSAGE_TICKS),
});

/** The message `ticks` in every form of POST /auth/ti-tick, by the name of the form. `series`: the schema of its name. */
export function liveTickForms<S extends ReturnType<typeof Type.String>>(series: () => S) {
  const head = () => ({ type: Type.Literal('ticks'), series: series() });
  const { text, number } = stamps();
  const price = Type.Array(Type.Number({ examples: [101.25] }), {
    maxItems: LIVE_MESSAGE_TICKS,
    description: 'One price for each timestamp.',
  });
  const quotes = { Bid: side('bid', LIVE_MESSAGE_TICKS), Ask: side('ask', LIVE_MESSAGE_TICKS) };
  return {
    textPrices: Type.Object({ ...head(), Timestamp: text, Price: price }),
    epochPrices: Type.Object({ ...head(), Timestamp: number, Price: price }),
    textQuotes: Type.Object({ ...head(), Timestamp: text, ...quotes }),
    epochQuotes: Type.Object({ ...head(), Timestamp: number, ...quotes }),
  } satisfies Record<TickForm, unknown>;
}

/** The message `bars` in the same way. */
export function liveBarForms<S extends ReturnType<typeof Type.String>>(series: () => S) {
  const head = () => ({ type: Type.Literal('bars'), series: series() });
  const { text, number } = stamps();
  return {
    textBars: Type.Object({ ...head(), Timestamp: text, ...barPrices(LIVE_MESSAGE_TICKS) }),
    epochBars: Type.Object({ ...head(), Timestamp: number, ...barPrices(LIVE_MESSAGE_TICKS) }),
  } satisfies Record<BarForm, unknown>;
}
