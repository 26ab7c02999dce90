import type { Peeked } from './peekBytes.ts';

const encoder = new TextEncoder();

/** The text as UTF-8 without its byte order mark: UTF-16 is turned into it, told by its mark or by every other byte of the beginning being 0. */
export function asUtf8({ head, chunks }: Peeked): AsyncIterable<Uint8Array> {
  const encoding = utf16Of(head);
  if (encoding !== undefined) return decoded(chunks, encoding);
  return head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf ? withoutFirst(chunks, 3) : chunks;
}

function utf16Of(head: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be';
  const sample = head.subarray(0, 64);
  if (sample.length < 8) return undefined;
  const isText = (from: number): boolean => sample.every((byte, i) => (i % 2 === from ? byte >= 9 && byte < 127 : byte === 0));
  return isText(0) ? 'utf-16le' : isText(1) ? 'utf-16be' : undefined;
}

async function* decoded(chunks: AsyncIterable<Uint8Array>, encoding: string): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder(encoding);
  for await (const chunk of chunks) yield encoder.encode(decoder.decode(chunk, { stream: true }));
  yield encoder.encode(decoder.decode());
}

async function* withoutFirst(chunks: AsyncIterable<Uint8Array>, count: number): AsyncGenerator<Uint8Array> {
  let left = count;
  for await (const chunk of chunks) {
    const skipped = Math.min(left, chunk.length);
    left -= skipped;
    yield chunk.subarray(skipped);
  }
}
