import { brotliDecompressSync } from 'node:zlib';
import { gunzipStream } from './gunzipStream.ts';
import type { ImportOptions } from './ImportReport.ts';

/** What Node.js unpacks and a browser does not, or not as well; for `importTicks` of files on disk. */
export const NODE_DECODERS: Required<Pick<ImportOptions, 'gunzip' | 'brotli'>> = {
  gunzip: gunzipStream,
  // One byte at least, by the rule of the option; a page that unpacks to more than its header says is refused.
  brotli: (packed, length) => brotliDecompressSync(packed, { maxOutputLength: Math.max(1, length) }),
};
