/** How the names of files end that the importers read; the content decides what they are. `.zip` is packed already. */
const TEXTS = ['csv', 'tsv', 'txt', 'json', 'jsonl', 'ndjson', 'parquet'] as const;
const ENDS = new RegExp(`\\.(?:(?:${TEXTS.join('|')})(?:\\.gz|\\.zip)?|zip)$`, 'i');

/** The endings in words. */
export const TICK_FILE_ENDS = `${TEXTS.map((end) => `.${end}`).join(', ')}, each also with .gz, and .zip`;

export function isTickFileName(name: string): boolean {
  return ENDS.test(name);
}

/** The name without the endings of tick files and packing: `eurusd` of `eurusd.csv.gz`. */
export function tickFileStem(name: string): string {
  const stem = name.replace(ENDS, '');
  return stem === name ? name.replace(/\.gz$/i, '') : stem;
}
