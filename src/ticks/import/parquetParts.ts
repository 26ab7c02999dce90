import { gunzipSync } from 'fflate';

/** What `readParquet` loads when it is needed. Named one by one, so that a bundle holds no more of these packages than is used. */
export { parquetMetadata, parquetRead } from 'hyparquet/src/index.js';
export { parquetHeader } from 'hyparquet/src/column.js';
export { decompress } from 'fzstd';

/** The bytes of a gzip block of known length. */
export const gunzipWhole = (packed: Uint8Array, length: number): Uint8Array => gunzipSync(packed, { out: new Uint8Array(length) });
