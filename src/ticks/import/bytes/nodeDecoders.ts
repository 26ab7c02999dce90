import { pipeline, Readable } from 'node:stream';
import { createGunzip, brotliDecompressSync } from 'node:zlib';
import type { ImportOptions } from '../ImportReport.ts';
import { gzipFault } from './inflateGzip.ts';

/** Fewer, larger chunks than by default. */
const CHUNK_BYTES = 256 * 1024;

/** As `inflateGzip`, by Node.js' own stream: it reads files of several members, as `cat a.gz b.gz` makes them, which DecompressionStream refuses from Node.js 24 on. */
async function* gunzipStream(chunks: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
  // What fails is thrown where it is read.
  pipeline(Readable.from(chunks), gunzip, () => {});
  try {
    for await (const chunk of gunzip) yield chunk as Uint8Array;
  } catch (error) {
    throw gzipFault(error, name);
  } finally {
    gunzip.destroy();
  }
}

/** What Node.js unpacks and a browser does not, or not as well; for `importTicks` of files on disk. */
export const NODE_DECODERS: Required<Pick<ImportOptions, 'gunzip' | 'brotli'>> = {
  gunzip: gunzipStream,
  // One byte at least, by the rule of the option; a page that unpacks to more than its header says is refused.
  brotli: (packed, length) => brotliDecompressSync(packed, { maxOutputLength: Math.max(1, length) }),
};
