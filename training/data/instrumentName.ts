import * as path from 'node:path';

/** The name of a series: its file's, without folder and extensions. */
export const instrumentName = (file: string): string => path.basename(file).replace(/(\.csv|\.tsv|\.txt)?(\.gz)?$/i, '');
