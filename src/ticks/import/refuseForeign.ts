import { fileFault } from './ImportReport.ts';

type Foreign = { readonly magic: readonly number[]; readonly found: string; readonly remedy: string };

const UNPACK = 'Unpack it first, or pack it as gzip or zip.';
const FOREIGN: readonly Foreign[] = [
  { magic: [0xfd, 0x37, 0x7a, 0x58, 0x5a], found: 'it is packed with xz', remedy: UNPACK },
  { magic: [0x28, 0xb5, 0x2f, 0xfd], found: 'it is packed with zstd', remedy: UNPACK },
  { magic: [0x42, 0x5a, 0x68], found: 'it is packed with bzip2', remedy: UNPACK },
  { magic: [0x37, 0x7a, 0xbc, 0xaf], found: 'it is a 7z archive', remedy: UNPACK },
  { magic: [0x52, 0x61, 0x72, 0x21], found: 'it is a RAR archive', remedy: UNPACK },
  {
    magic: [0x5d, 0x00, 0x00],
    found: 'it is LZMA data, as in the .bi5 files of Dukascopy',
    remedy: 'These are not read: export CSV from the web page of Dukascopy or from JForex.',
  },
  { magic: [0x89, 0x48, 0x44, 0x46], found: 'it is an HDF5 file', remedy: 'Export it as CSV or Parquet.' },
  { magic: [0x41, 0x52, 0x52, 0x4f, 0x57], found: 'it is an Arrow file', remedy: 'Export it as CSV or Parquet.' },
  { magic: [0xd0, 0xcf, 0x11, 0xe0], found: 'it is an old Excel workbook', remedy: 'Open it and save the sheet as CSV.' },
  { magic: [0x25, 0x50, 0x44, 0x46], found: 'it is a PDF', remedy: 'Export the ticks as CSV.' },
  { magic: [0x53, 0x51, 0x4c, 0x69, 0x74, 0x65], found: 'it is an SQLite database', remedy: 'Export the table of ticks as CSV.' },
];

/** Throws ServiceError file.malformed if the beginning shows that this is not a tick file. `head`: UTF-8 or binary. */
export function refuseForeign(head: Uint8Array, name: string): void {
  if (head.length === 0) throw fileFault(name, '', 'the file is empty', 'Download or export it again.');
  for (const { magic, found, remedy } of FOREIGN) if (magic.every((byte, i) => head[i] === byte)) throw fileFault(name, '', found, remedy);
  const sample = head.subarray(0, 4096);
  const text = new TextDecoder().decode(sample);
  if (text.trim() === '') throw fileFault(name, '', 'the file contains only blanks', 'Download or export it again.');
  if (/^\s*<(?:!doctype|html|\?xml)/i.test(text))
    throw fileFault(
      name,
      '',
      'it is a web page or XML, not a table of ticks',
      'The download may have failed: open the file to see what it says.',
    );
  const odd = sample.reduce((sum, byte) => sum + (byte < 9 || (byte > 13 && byte < 32) || byte === 127 ? 1 : 0), 0);
  // Text in another encoding than UTF-8 has its digits and separators where they are.
  const broken = text.split('\ufffd').length - 1;
  const plain = sample.reduce((sum, byte) => sum + (byte >= 32 && byte < 127 ? 1 : 0), 0);
  if (odd > 0 || (broken > 0 && plain < 0.3 * sample.length))
    throw fileFault(
      name,
      '',
      `it is binary data of an unknown kind (${odd + broken} of the first ${sample.length} bytes are not text)`,
      'Give CSV, JSON or Parquet, plain or packed with gzip or zip.',
    );
}

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
