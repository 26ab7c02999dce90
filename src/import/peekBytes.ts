/** The first bytes of a stream, and a stream that gives them again with all that follow. */
export type Peeked = { readonly head: Uint8Array; readonly chunks: AsyncIterable<Uint8Array>; readonly isWhole: boolean };

/** Reads until `wanted` bytes are there or the stream ends. Whatever ends the second stream early ends the first one too. */
export async function peekBytes(source: AsyncIterable<Uint8Array>, wanted: number): Promise<Peeked> {
  const iterator = source[Symbol.asyncIterator]();
  const held: Uint8Array[] = [];
  let length = 0;
  let isWhole = false;
  while (length < wanted) {
    const next = await iterator.next();
    if (next.done === true) {
      isWhole = true;
      break;
    }
    held.push(next.value);
    length += next.value.length;
  }
  const head = joinBytes(held).subarray(0, Math.max(wanted, 0));
  async function* again(): AsyncGenerator<Uint8Array> {
    try {
      yield* held.splice(0);
      while (!isWhole) {
        const next = await iterator.next();
        if (next.done === true) break;
        yield next.value;
      }
      isWhole = true;
    } finally {
      if (!isWhole) await iterator.return?.();
    }
  }
  return { head, chunks: again(), isWhole };
}

export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  if (parts.length === 1) return parts[0]!;
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
