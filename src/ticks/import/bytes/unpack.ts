import { type Finding, type ImportOptions, fileFault } from '../ImportReport.ts';
import { inflateGzip } from './inflateGzip.ts';

/** The first bytes of a stream, and a stream that gives them again with all that follow. */
export type Peeked = { readonly head: Uint8Array; readonly chunks: AsyncIterable<Uint8Array>; readonly isWhole: boolean };

/** Reads until `wanted` bytes are there, what is held is enough, or the stream ends. Whatever ends the second stream early ends the first one too. */
export async function peekBytes(
  source: AsyncIterable<Uint8Array>,
  wanted: number,
  isEnough: (held: readonly Uint8Array[]) => boolean = () => false,
): Promise<Peeked> {
  const iterator = source[Symbol.asyncIterator]();
  const held: Uint8Array[] = [];
  let length = 0;
  let isWhole = false;
  while (!isEnough(held) && length < wanted) {
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
  if (parts.length === 1) return parts[0];
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

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

/** A file is packed once, at most twice (a gzip in a zip). More is made to cost time. */
const MAX_LAYERS = 3;

export type Unpacked = {
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly packing: ('gzip' | 'zip')[];
  /** Filled while the chunks are read. */
  readonly notes: Finding[];
};

/**
 * Unpacks gzip and zip, detected by their first bytes, in chunks of bounded size whatever the ratio.
 * Reading throws ServiceError file.malformed for packed data that are cut off or corrupt.
 */
export async function unpack(
  source: AsyncIterable<Uint8Array>,
  name: string,
  gunzip: NonNullable<ImportOptions['gunzip']> = inflateGzip,
): Promise<Unpacked> {
  const packing: ('gzip' | 'zip')[] = [];
  const notes: Finding[] = [];
  let chunks = source;
  for (;;) {
    const peeked = await peekBytes(chunks, 8);
    const [a, b, c, d] = peeked.head;
    chunks = peeked.chunks;
    const kind =
      a === 0x1f && b === 0x8b ? 'gzip' : a === 0x50 && b === 0x4b && ((c === 3 && d === 4) || (c === 5 && d === 6)) ? 'zip' : undefined;
    if (kind === undefined) return { chunks, packing, notes };
    packing.push(kind);
    if (packing.length > MAX_LAYERS) throw fileFault(name, '', `it is packed ${packing.length} times over`, 'Unpack it first.');
    chunks = kind === 'gzip' ? gunzip(chunks, name) : (await import('./unzip.ts')).unzip(chunks, name, notes);
  }
}
