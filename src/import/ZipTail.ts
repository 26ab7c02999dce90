/** The directory of an archive of some hundred files. */
const KEPT_BYTES = 256 * 1024;
const END_SIGNATURE = 0x06054b50;
const ENTRY_SIGNATURE = 0x02014b50;
const END_BYTES = 22;
const ENTRY_BYTES = 46;

export type ZipEntry = { readonly crc: number; /** Unpacked, modulo 2^32. */ readonly bytes: number; readonly isEncrypted: boolean };

/** Keeps the end of an archive while it passes by, and reads its directory there (PKWARE APPNOTE 4.3.12 and 4.3.16). */
export class ZipTail {
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
