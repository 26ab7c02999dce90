import type { TickSink } from '../ticks/TickSink.ts';

/**
 * Where imported ticks go: any `TickSink`, called as it says (with `order: 'keep'` the blocks are in the order of the file). A sink that wants
 * both sides of quotes has `addQuotes`: it is called with the same ticks as the `add` after it, for files of kind `quotes` only.
 */
export type ImportSink = TickSink & {
  addQuotes?(timesUs: Float64Array, bids: Float64Array, asks: Float64Array): void;
};
