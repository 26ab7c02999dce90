/** What `readParquet` loads when it is needed. Named one by one, so that a bundle holds no more of these packages than is used. */
export { parquetMetadata, parquetRead } from 'hyparquet/src/index.js';
export { parquetHeader } from 'hyparquet/src/column.js';
export { decompress } from 'fzstd';
export { gunzipWhole } from './bytes/gunzipWhole.ts';
