import type { Finding, ImportOptions } from './ImportReport.ts';
import { fileFault } from './fileFault.ts';
import { inflateGzip } from './inflateGzip.ts';
import { peekBytes } from './peekBytes.ts';
import { unzip } from './unzip.ts';

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
    chunks = kind === 'gzip' ? gunzip(chunks, name) : unzip(chunks, name, notes);
  }
}
