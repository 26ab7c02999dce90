const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
/** A row has at most so many fields; those beyond are not looked at. */
const MAX_FIELDS = 512;
const BLANK = 32;
const QUOTE = 34;
const [PLAIN, SEPARATES, SPECIAL] = [0, 1, 2];

/** Finds the fields of one line after the other, a byte at a time: the inner loop of every import. */
export class FieldScanner {
  readonly #classes = new Uint8Array(256);
  /** Where the fields of the line scanned last begin and end, `fields` of each. */
  readonly starts = new Int32Array(MAX_FIELDS);
  readonly ends = new Int32Array(MAX_FIELDS);
  fields = 0;
  /** The line holds a quote or a NUL byte: its fields are not to be taken as they stand. */
  isOdd = false;

  /** `separator`: the byte between fields; blanks may stand several in a row. */
  constructor(separator: number) {
    this.#classes[separator] = SEPARATES!;
    this.#classes[QUOTE] = SPECIAL!;
    this.#classes[0] = SPECIAL!;
    this.#classes[LINE_FEED] = SPECIAL!;
  }

  /** Finds the fields of the line at `from`. Position of its line feed, or -1 where it is not in these bytes. */
  scan(bytes: Uint8Array, from: number, to: number): number {
    const classes = this.#classes;
    const { starts, ends } = this;
    let fields = 0;
    let at = from;
    let fieldFrom = from;
    this.isOdd = false;
    for (; at < to; at++) {
      const byte = bytes[at];
      const kind = classes[byte];
      if (kind === PLAIN) continue;
      if (byte === LINE_FEED) {
        if (fields < MAX_FIELDS) {
          starts[fields] = fieldFrom;
          let end = at;
          while (end > fieldFrom && bytes[end - 1] === CARRIAGE_RETURN) end--;
          ends[fields] = end;
          fields++;
        }
        this.fields = fields;
        return at;
      }
      if (kind === SEPARATES) {
        if (byte === BLANK && at === fieldFrom) {
          fieldFrom = at + 1;
        } else if (fields < MAX_FIELDS) {
          starts[fields] = fieldFrom;
          ends[fields] = at;
          fields++;
          fieldFrom = at + 1;
        }
      } else this.isOdd = true;
    }
    return -1;
  }
}

/** The fields of one line. Fields in double quotes may hold the separator; blanks as separators may stand several in a row. */
export function splitLine(line: string, separator: string): string[] {
  if (!line.includes('"')) return separator === ' ' ? line.trim().split(/ +/) : line.split(separator).map((field) => field.trim());
  if (separator === ' ') return (line.match(/(?:"[^"]*"|[^ "])+/g) ?? []).map(unquoted);
  const fields: string[] = [];
  let from = 0;
  let isQuoted = false;
  for (let at = 0; at <= line.length; at++) {
    if (line[at] === '"') isQuoted = !isQuoted;
    else if (at === line.length || (line[at] === separator && !isQuoted)) {
      fields.push(unquoted(line.slice(from, at).trim()));
      from = at + 1;
    }
  }
  return fields;
}

function unquoted(field: string): string {
  return field.length >= 2 && field.startsWith('"') && field.endsWith('"') ? field.slice(1, -1).replaceAll('""', '"').trim() : field;
}
