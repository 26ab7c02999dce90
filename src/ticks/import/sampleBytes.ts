const encoder = new TextEncoder();
const SHARED_BYTES = 256;
const shared = new Uint8Array(SHARED_BYTES + 1);

/**
 * A text of a sample as bytes, valid until the next call: a plan looks at each value several times, and an encoder takes longer for a
 * short text than the parser that reads its bytes.
 */
export function sampleBytes(text: string): Uint8Array {
  const { length } = text;
  if (length > SHARED_BYTES) return encoder.encode(text);
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at);
    if (code > 127) return encoder.encode(text);
    shared[at] = code;
  }
  return shared.subarray(0, length);
}
