/** Ticks of every block but the last one. */
export const BLOCK_TICKS = 16_384;

/**
 * Where the ticks of a file go while it is read. Called by `TickLines`, in time order, with blocks of exactly `BLOCK_TICKS`
 * ticks and a shorter last one. The arrays are used again after the call: copy what is to stay. What it throws ends the reading.
 */
export type TickSink = {
  add(timesUs: Float64Array, prices: Float64Array): void;
};
