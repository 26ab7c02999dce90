import { Unzip, UnzipInflate } from 'fflate';
import { ServiceError } from '../core/ServiceError.ts';
import { addCrc } from './crc32.ts';
import { fileFault } from './fileFault.ts';
import type { Finding } from './ImportReport.ts';
import { ZipTail } from './ZipTail.ts';

/** Fed in pieces of this size, of which each unpacks to at most a thousand times as much. */
const PIECE_BYTES = 8 * 1024;
/** Folders, and files other than ticks in the archives of data vendors. */
const NOT_TICKS = /(?:\.(?:txt|md|pdf|html?|xml|rels)|\/)$|(?:^|\/)(?:\.|__MACOSX)/i;

/**
 * The first data file of a zip archive. Others are left out and named in a note. Length and checksum are compared with the archive's
 * directory, which stands at its end.
 */
export async function* unzip(chunks: AsyncIterable<Uint8Array>, name: string, notes: Finding[]): AsyncGenerator<Uint8Array> {
  const out: Uint8Array[] = [];
  const left: string[] = [];
  const tail = new ZipTail();
  let taken: string | undefined;
  let bytes = 0;
  let crc = 0;
  let failure: Error | undefined;
  const archive = new Unzip((file) => {
    if (file.name.startsWith('xl/') || file.name === '[Content_Types].xml')
      failure ??= fileFault(name, '', 'this is an Excel workbook', 'Open it and save the sheet as CSV.');
    if (NOT_TICKS.test(file.name)) return;
    if (taken !== undefined) {
      left.push(file.name);
      return;
    }
    taken = file.name;
    file.ondata = (error, data) => {
      if (error !== null) failure ??= error;
      else if (data.length > 0) {
        out.push(data);
        bytes += data.length;
        crc = addCrc(crc, data);
      }
    };
    file.start();
  });
  archive.register(UnzipInflate);
  const push = (piece: Uint8Array, isLast: boolean): void => {
    try {
      archive.push(piece, isLast);
    } catch (error) {
      failure ??= error as Error;
    }
    if (failure !== undefined) throw failure instanceof ServiceError ? failure : corrupt(name);
  };
  for await (const chunk of chunks) {
    tail.add(chunk);
    for (let from = 0; from < chunk.length; from += PIECE_BYTES) {
      push(chunk.slice(from, from + PIECE_BYTES), false);
      yield* out.splice(0);
    }
  }
  const directory = tail.entries();
  if (directory === undefined)
    throw fileFault(name, '', 'the zip archive has no directory at its end: the file is cut off', 'Download the file again.');
  push(new Uint8Array(0), true);
  yield* out.splice(0);
  if (taken === undefined)
    throw fileFault(name, '', 'the zip archive holds no data file', 'Give the archive with the ticks, or the unpacked file.');
  const entry = directory.get(taken);
  if (entry?.isEncrypted === true) throw fileFault(name, '', 'the zip archive is encrypted', 'Unpack it with its password first.');
  if (entry !== undefined && (entry.crc !== crc || entry.bytes !== bytes)) throw corrupt(name);
  if (left.length === 0) return;
  const shown = left.slice(0, 3).join(', ') + (left.length > 3 ? ', …' : '');
  notes.push({
    code: 'zip.other_files',
    severity: 'warning',
    text: `The zip archive holds ${left.length + 1} data files; ${taken} was read and ${shown} left out.`,
    advice: [{ code: 'source', text: 'Unpack the archive and import each file.' }],
    count: left.length,
  });
}

const corrupt = (name: string): ServiceError =>
  fileFault(name, '', 'the zip archive is corrupt, encrypted or cut off', 'Download the file again, or unpack it first.');
