const encoder = new TextEncoder();
const BATCH_CHARS = 64 * 1024;

/**
 * Records as lines of a table between tabs, so that JSON and Parquet go the way of every text: one set of rules for stamps, names of columns
 * and prices. The first record says what the columns are; objects give a header, arrays none.
 */
export class RecordRows {
  #keys: readonly string[] | undefined;
  #text = '';

  /** With names known beforehand. */
  setHeader(keys: readonly string[]): void {
    this.#keys = keys;
    this.#text += `${keys.map(cell).join('\t')}\n`;
  }

  addRecord(record: object): void {
    if (Array.isArray(record)) return this.addRow(record as unknown[]);
    if (this.#keys === undefined) this.setHeader(Object.keys(record));
    const values = record as Readonly<Record<string, unknown>>;
    this.addRow(this.#keys!.map((key) => values[key]));
  }

  addRow(values: readonly unknown[]): void {
    // Two cells at least, or the line is blank.
    this.#text += `${values.map(cell).join('\t')}\n`;
  }

  /** What has gathered, when it is worth a chunk or must be given. */
  take(isForced = false): Uint8Array | undefined {
    if (this.#text.length === 0 || (!isForced && this.#text.length < BATCH_CHARS)) return undefined;
    const bytes = encoder.encode(this.#text);
    this.#text = '';
    return bytes;
  }
}

/** A float32 is written with the digits that it holds. */
function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? '' : value.toISOString();
  if (typeof value === 'object') return '-';
  return String(value as string | number | bigint | boolean).replace(/[\t\r\n"\0]/g, ' ');
}
