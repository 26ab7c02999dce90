import { gunzipSync } from 'fflate';

/** The bytes of a gzip block of known length. Here and not at its caller, whose import as it runs would bundle the whole library. */
export function gunzipWhole(packed: Uint8Array, length: number): Uint8Array {
  return gunzipSync(packed, { out: new Uint8Array(length) });
}
