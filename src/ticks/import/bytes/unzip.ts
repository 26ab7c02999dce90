import { finding, source } from '../findings/words.ts';
import { Unzip, type UnzipFile, UnzipInflate } from 'fflate';
import { ServiceError } from '../../../core/ServiceError.ts';
import { type Finding, fileFault } from '../ImportReport.ts';

const POLYNOMIAL = 0xedb88320;
const TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ POLYNOMIAL : value >>> 1;
  return value;
});

/** CRC-32 (ISO 3309, as in zip) of what `crc` covers and then these bytes; begin with 0. */
function addCrc(crc: number, bytes: Uint8Array): number {
  let value = ~crc;
  for (let at = 0; at < bytes.length; at++) value = TABLE[(value ^ bytes[at]) & 0xff] ^ (value >>> 8);
  return ~value >>> 0;
}

/** The directory of an archive of some hundred files. */
const KEPT_BYTES = 256 * 1024;
const END_SIGNATURE = 0x06054b50;
const ENTRY_SIGNATURE = 0x02014b50;
const END_BYTES = 22;
const ENTRY_BYTES = 46;

type ZipEntry = { readonly crc: number; /** Unpacked, modulo 2^32. */ readonly bytes: number; readonly isEncrypted: boolean };

/** Keeps the end of an archive while it passes by, and reads its directory there (PKWARE APPNOTE 4.3.12 and 4.3.16). */
class ZipTail {
  #kept = new Uint8Array(0);

  add(chunk: Uint8Array): void {
    const joined = new Uint8Array(Math.min(this.#kept.length, KEPT_BYTES) + chunk.length);
    joined.set(this.#kept);
    joined.set(chunk, this.#kept.length);
    this.#kept = joined.subarray(Math.max(0, joined.length - KEPT_BYTES));
  }

  /** By name, as far as the kept bytes reach; undefined where there is no end of a directory. Entries above 4 GiB have no figures here and are left out. */
  entries(): Map<string, ZipEntry> | undefined {
    const bytes = this.#kept;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let end = bytes.length - END_BYTES;
    while (end >= 0 && view.getUint32(end, true) !== END_SIGNATURE) end--;
    if (end < 0) return undefined;
    const found = new Map<string, ZipEntry>();
    let at = Math.max(0, end - view.getUint32(end + 12, true));
    const decoder = new TextDecoder();
    while (at + ENTRY_BYTES <= end && view.getUint32(at, true) === ENTRY_SIGNATURE) {
      const nameLength = view.getUint16(at + 28, true);
      const size = view.getUint32(at + 24, true);
      const name = decoder.decode(bytes.subarray(at + ENTRY_BYTES, at + ENTRY_BYTES + nameLength));
      if (size !== 0xffffffff)
        found.set(name, { crc: view.getUint32(at + 16, true), bytes: size, isEncrypted: (view.getUint16(at + 8, true) & 1) === 1 });
      at += ENTRY_BYTES + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
    }
    return found;
  }
}

/** Fed in pieces of this size, of which each unpacks to at most a thousand times as much. */
const PIECE_BYTES = 8 * 1024;
/** Folders, and files other than ticks in the archives of data vendors. */
const NOT_TICKS =
  /(?:\.(?:md|pdf|html?|xml|rels|checksum|md5|sha\d*|asc|sig)|\/)$|(?:^|\/)(?:\.|__MACOSX|(?:read[-_ ]?me|licen[cs]e|notice)[^/]*\.txt$)/i;
/** Reports next to the ticks, or the ticks themselves where nothing else is there. */
const TEXT = /\.txt$/i;
const MAX_TEXT_BYTES = 256 * 1024 * 1024;
const METHODS: Readonly<Record<number, string>> = {
  1: 'Shrink',
  6: 'Implode',
  9: 'Deflate64',
  12: 'bzip2',
  14: 'LZMA',
  93: 'zstd',
  95: 'xz',
  98: 'PPMd',
  99: 'AES',
};

/**
 * The first data file of a zip archive. Others are left out and named in a note. Length and checksum are compared with the archive's
 * directory, which stands at its end.
 */
export async function* unzip(chunks: AsyncIterable<Uint8Array>, name: string, notes: Finding[]): AsyncGenerator<Uint8Array> {
  const out: Uint8Array[] = [];
  const left: string[] = [];
  const tail = new ZipTail();
  let taken: string | undefined;
  const texts: UnzipFile[] = [];
  let bytes = 0;
  let crc = 0;
  let failure: Error | undefined;
  const archive = new Unzip((file) => {
    if (file.name.startsWith('xl/') || file.name === '[Content_Types].xml')
      failure ??= fileFault(name, '', 'this is an Excel workbook', 'Open it and save the sheet as CSV.');
    if (NOT_TICKS.test(file.name)) return;
    if (TEXT.test(file.name)) {
      // Held as packed until it is known whether a data file follows.
      texts.push(file);
      return;
    }
    if (taken !== undefined) {
      left.push(file.name);
      return;
    }
    take(file);
  });
  const take = (file: UnzipFile): void => {
    taken = file.name;
    if (file.compression !== 0 && file.compression !== 8) {
      const method = METHODS[file.compression] ?? `method ${file.compression}`;
      failure ??= fileFault(
        name,
        '',
        `${file.name} in the zip archive is packed with ${method}, which is not read here`,
        'Unpack it first, or pack it as a usual zip (Deflate) or gzip.',
      );
      return;
    }
    file.ondata = (error, data) => {
      if (error !== null) failure ??= error;
      else if (data.length > 0) {
        bytes += data.length;
        // What was held comes in one go.
        if (texts.length > 0 && TEXT.test(file.name) && bytes > MAX_TEXT_BYTES)
          failure ??= fileFault(
            name,
            '',
            `${file.name} in the zip archive is larger than ${MAX_TEXT_BYTES / 2 ** 20} MiB`,
            'Unpack it first.',
          );
        if (failure !== undefined) return;
        out.push(data);
        crc = addCrc(crc, data);
      }
    };
    file.start();
  };
  archive.register(UnzipInflate);
  const unpacked = (step: () => void): Uint8Array[] => {
    try {
      step();
    } catch (error) {
      failure ??= error as Error;
    }
    if (failure !== undefined) throw failure instanceof ServiceError ? failure : corrupt(name);
    return out.splice(0);
  };
  for await (const chunk of chunks) {
    tail.add(chunk);
    for (let from = 0; from < chunk.length; from += PIECE_BYTES)
      yield* unpacked(() => archive.push(chunk.slice(from, from + PIECE_BYTES), false));
  }
  const directory = tail.entries();
  if (directory === undefined)
    throw fileFault(name, '', 'the zip archive has no directory at its end: the file is cut off', 'Download the file again.');
  yield* unpacked(() => archive.push(new Uint8Array(0), true));
  if (taken === undefined && texts.length > 0) {
    left.push(...texts.slice(1).map((file) => file.name));
    yield* unpacked(() => take(texts[0]));
  }
  if (taken === undefined)
    throw fileFault(name, '', 'the zip archive holds no data file', 'Give the archive with the ticks, or the unpacked file.');
  const entry = directory.get(taken);
  if (entry?.isEncrypted === true) throw fileFault(name, '', 'the zip archive is encrypted', 'Unpack it with its password first.');
  if (entry !== undefined && (entry.crc !== crc || entry.bytes !== bytes)) throw corrupt(name);
  if (left.length === 0) return;
  const shown = left.slice(0, 3).join(', ') + (left.length > 3 ? ', …' : '');
  notes.push(
    finding(
      'zip.other_files',
      'warning',
      `The zip archive holds ${left.length + 1} data files; ${taken} was read and ${shown} left out.`,
      [source('Unpack the archive and import each file.')],
      left.length,
    ),
  );
}

const corrupt = (name: string): ServiceError =>
  fileFault(name, '', 'the zip archive is corrupt, encrypted or cut off', 'Download the file again, or unpack it first.');
