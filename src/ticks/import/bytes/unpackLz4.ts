/** Match lengths count from here. */
const MIN_MATCH = 4;
/** A length of this many goes on in the bytes after it. */
const LONG = 15;
/** The farthest that a byte of packed data reaches: a match length goes on by 255 a byte. */
const MAX_RATIO = 255;

/**
 * An LZ4 block without frame, as Parquet's LZ4_RAW holds it (lz4_Block_format.md of the LZ4 project), into its `length` bytes.
 * Throws RangeError for what is none; never more than `length` bytes are made, and none where so few could not unpack to them.
 */
export function unpackLz4(packed: Uint8Array, length: number): Uint8Array {
  if (length > (packed.length + 1) * MAX_RATIO) throw corrupt();
  const out = new Uint8Array(length);
  let [from, to] = [0, 0];
  const goOn = (first: number): number => {
    let sum = first;
    if (first !== LONG) return sum;
    for (let byte = 255; byte === 255; sum += byte) {
      if (from >= packed.length) throw corrupt();
      byte = packed[from++];
    }
    return sum;
  };
  while (from < packed.length) {
    const token = packed[from++];
    const literals = goOn(token >> 4);
    if (from + literals > packed.length || to + literals > length) throw corrupt();
    out.set(packed.subarray(from, from + literals), to);
    from += literals;
    to += literals;
    // The last sequence has no match.
    if (from === packed.length) break;
    if (from + 2 > packed.length) throw corrupt();
    const offset = packed[from] | (packed[from + 1] << 8);
    from += 2;
    const end = to + goOn(token & LONG) + MIN_MATCH;
    if (offset === 0 || offset > to || end > length) throw corrupt();
    // Byte by byte: a match may reach into what it makes.
    for (; to < end; to++) out[to] = out[to - offset];
  }
  if (to !== length) throw corrupt();
  return out;
}

const corrupt = (): RangeError => new RangeError('the LZ4 data are corrupt');
