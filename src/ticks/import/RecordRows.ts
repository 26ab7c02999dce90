import { columnName, isNamedPrice } from './plan/names.ts';

const encoder = new TextEncoder();
const BATCH_CHARS = 64 * 1024;
/** So many objects say together what the columns are: the first one may lack the market, or a side. */
const FIRST_RECORDS = 200;

/**
 * Records as lines of a table between tabs, so that JSON and Parquet go the way of every text: one set of rules for stamps, names of columns
 * and prices. The first records say what the columns are; objects give a header, arrays none.
 */
export class RecordRows {
  #keys: readonly string[] | undefined;
  #text = '';
  #held: object[] = [];
  /** The prices stand in objects within the records. */
  #isNested = false;

  /** With names known beforehand. */
  setHeader(keys: readonly string[]): void {
    this.#keys = keys;
    this.#text += `${keys.map(cell).join('\t')}\n`;
  }

  addRecord(record: object): void {
    if (Array.isArray(record)) return this.addRow(record as unknown[]);
    if (this.#keys === undefined) {
      this.#held.push(record);
      if (this.#held.length === FIRST_RECORDS) this.#addHeld();
    } else this.#addObject(record, this.#keys);
  }

  #addHeld(): void {
    const held = this.#held;
    this.#held = [];
    if (held.length === 0) return;
    this.#isNested = !held.some(holdsPrice);
    const keys = [...new Set(held.flatMap((record) => Object.keys(this.#flat(record))))];
    this.setHeader(keys);
    for (const record of held) this.#addObject(record, keys);
  }

  #addObject(record: object, keys: readonly string[]): void {
    const values = this.#flat(record);
    this.addRow(keys.map((key) => values[key]));
  }

  /** {"ts": …, "bid": {"price": …}} has the columns ts and bid.price. */
  #flat(record: object): Readonly<Record<string, unknown>> {
    if (!this.#isNested) return record as Readonly<Record<string, unknown>>;
    return Object.fromEntries(
      Object.entries(record).flatMap(([key, value]: [string, unknown]) =>
        typeof value === 'object' && value !== null && !Array.isArray(value) && typed(value) === undefined
          ? Object.entries(value).map(([inner, each]) => [`${key}.${inner}`, each] as const)
          : [[key, value] as const],
      ),
    );
  }

  addRow(values: readonly unknown[]): void {
    this.#addHeld();
    // Two cells at least, or the line is blank.
    this.#text += `${values.map(cell).join('\t')}\n`;
  }

  /** What has gathered, when it is worth a chunk or must be given. */
  *take(isForced = false): Generator<Uint8Array, void> {
    if (isForced) this.#addHeld();
    if (this.#text.length === 0 || (!isForced && this.#text.length < BATCH_CHARS)) return;
    const bytes = encoder.encode(this.#text);
    this.#text = '';
    yield bytes;
  }
}

const holdsPrice = (record: object): boolean =>
  Object.entries(record).some(([key, value]) => typeof value !== 'object' && isNamedPrice(columnName(key)));

/** The value that MongoDB writes with its type: {"$numberLong": "…"}, {"$date": …}. */
function typed(value: object): unknown {
  const [entry, ...others] = Object.entries(value) as [string, unknown][];
  return entry !== undefined && others.length === 0 && entry[0].startsWith('$') ? entry[1] : undefined;
}

/** A float32 is written with the digits that it holds. */
function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? '' : value.toISOString();
  if (typeof value === 'object') {
    const inner = typed(value);
    return inner === undefined ? '-' : cell(inner);
  }
  return String(value as string | number | bigint | boolean).replace(/[\t\r\n"\0]/g, ' ');
}
