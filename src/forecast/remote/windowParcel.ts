import type { Parcel } from '../../inference/InferenceHost.ts';
import type { TickRequest } from '../../ticks/parseTickRequest.ts';

/** A window and the threshold that is asked about, log price; null: the window's own. */
export type WindowQuestion = { readonly request: TickRequest; readonly theta: number | null };

/** Future timestamp and threshold, before the ticks. */
const HEAD_BYTES = 16;
/** Stamp and price. */
const TICK_BYTES = 16;

/**
 * A question as bytes: future timestamp in microseconds, threshold (NaN: the window's own), all stamps in microseconds, all prices; f64 in the order of
 * the processor, which both ends share. The arrays of the request have to stay as they are until it is written.
 */
export function windowParcel({ request: { series, futureUs }, theta }: WindowQuestion): Parcel {
  return {
    byteLength: HEAD_BYTES + TICK_BYTES * series.timesUs.length,
    write(target, at) {
      const head = Float64Array.of(futureUs, theta ?? NaN);
      for (const part of [head, series.timesUs, series.prices]) {
        target.set(new Uint8Array(part.buffer, part.byteOffset, part.byteLength), at);
        at += part.byteLength;
      }
    },
  };
}

/** Reads questions into an array that the next one uses again. */
export class WindowReader {
  #values = new Float64Array();

  /** Valid until the next call. */
  read(bytes: Buffer): WindowQuestion {
    const count = bytes.length / 8;
    if (this.#values.length < count) this.#values = new Float64Array(2 * count);
    const values = this.#values;
    new Uint8Array(values.buffer).set(bytes);
    const ticks = (bytes.length - HEAD_BYTES) / TICK_BYTES;
    const [futureUs, theta] = values as unknown as [number, number];
    const series = { timesUs: values.subarray(2, 2 + ticks), prices: values.subarray(2 + ticks, 2 + 2 * ticks) };
    return { request: { series, futureUs }, theta: Number.isNaN(theta) ? null : theta };
  }
}
