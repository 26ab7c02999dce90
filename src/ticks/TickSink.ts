/** Ticks in each block except the last one. */
export const BLOCK_TICKS = 16_384;

/**
 * Receives the ticks of a file while it is read. `TickLines` calls it in time order with blocks of exactly `BLOCK_TICKS` ticks and a
 * shorter last one. The arrays are reused after the call, so copy what you keep. An exception stops reading.
 */
export type TickSink = {
  add(timesUs: Float64Array, prices: Float64Array): void;
};
