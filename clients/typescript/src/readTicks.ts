import { timeUsOf, type Tick } from './tickBody.ts';

/** Ticks, or chunks of the text of a CSV (as text or as bytes of UTF-8), cut anywhere. An iterable of strings is taken for chunks. */
export type TickSource = AsyncIterable<TickChunk> | Iterable<TickChunk> | ReadableStream<TickChunk>;
export type TickChunk = Tick | string | Uint8Array;

export type PlainTick = Extract<Tick, { readonly timeUs: number }>;

/** A CSV that cannot be read. `line` counts from 1. */
export class CsvError extends Error {
  override readonly name = 'CsvError';
  readonly line: number;

  constructor(line: number, what: string) {
    super(`line ${line}: ${what}`);
    this.line = line;
  }
}

/**
 * The ticks of a source, in groups as they come. A CSV has a time and a price on each line, divided by a comma, semicolon or tab: the
 * first two columns, or those that a header names (`timestamp`, `time`, `datetime` or `date`; `price`, `mid`, `last` or `close`; or `bid`
 * and `ask`). Times as in requests, or integers since 1970 in seconds, milliseconds, microseconds or nanoseconds,
 * told apart by their size. Files of other forms: `tickmark import` writes this one.
 *
 * @throws CsvError, RangeError for a time that is none
 */
export async function* readTicks(source: TickSource): AsyncGenerator<PlainTick[], void, undefined> {
  const decoder = new TextDecoder();
  const lines = new LineReader();
  for await (const chunk of iterableOf(source)) {
    if (typeof chunk === 'string') yield lines.push(chunk);
    else if (chunk instanceof Uint8Array) yield lines.push(decoder.decode(chunk, { stream: true }));
    else yield [{ ...chunk, timeUs: timeUsOf(chunk) }];
  }
  yield lines.push(`${decoder.decode()}\n`);
}

/** Not every browser lets a ReadableStream be iterated. */
async function* iterableOf(source: TickSource): AsyncGenerator<TickChunk, void, undefined> {
  if (Symbol.asyncIterator in source || Symbol.iterator in source) return yield* source as AsyncIterable<TickChunk>;
  const reader = (source as ReadableStream<TickChunk>).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel();
  }
}

type Columns = { readonly divider: string; readonly time: number; readonly prices: readonly number[] };

const TIMES = ['timestamp', 'time', 'datetime', 'date'];
const PRICES = ['price', 'mid', 'last', 'close'];

class LineReader {
  #rest = '';
  #line = 0;
  #columns: Columns | undefined;

  /** The ticks of the lines that are whole by now. */
  push(text: string): PlainTick[] {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    return lines.flatMap((line) => this.#read(line.trim()));
  }

  #read(text: string): PlainTick[] {
    this.#line++;
    const line = this.#line === 1 ? text.replace(/^\uFEFF/, '') : text;
    if (line === '') return [];
    if (this.#columns === undefined) {
      const divider = [';', '\t', ','].find((mark) => line.includes(mark));
      if (divider === undefined) throw new CsvError(this.#line, `neither comma, semicolon nor tab in ${JSON.stringify(line.slice(0, 60))}`);
      const names = line.split(divider).map((name) => unquoted(name).toLowerCase());
      this.#columns = this.#columnsOf(divider, names);
      // A header names things; a first tick begins with a digit.
      if (!/^\d/.test(names[this.#columns.time] ?? '')) return [];
    }
    const { divider, time, prices } = this.#columns;
    const cells = line.split(divider);
    const [price = NaN, ask] = prices.map((column) => this.#priceOf(cells[column], divider));
    const timeUs = this.#timeUsOf(unquoted(cells[time] ?? ''));
    return [ask === undefined ? { timeUs, price } : { timeUs, bid: price, ask }];
  }

  #columnsOf(divider: string, names: readonly string[]): Columns {
    if (names.some((name) => /^\d/.test(name))) return { divider, time: 0, prices: [1] };
    const find = (wanted: readonly string[]): number => names.findIndex((name) => wanted.includes(name));
    const [time, price, bid, ask] = [find(TIMES), find(PRICES), find(['bid']), find(['ask'])];
    if (time >= 0 && price >= 0) return { divider, time, prices: [price] };
    if (time >= 0 && bid >= 0 && ask >= 0) return { divider, time, prices: [bid, ask] };
    throw new CsvError(
      this.#line,
      `the header names no ${time < 0 ? 'time (timestamp)' : 'price (price, or bid and ask)'}: ${names.join(', ').slice(0, 80)}`,
    );
  }

  #priceOf(cell: string | undefined, divider: string): number {
    const text = unquoted(cell ?? '');
    const price = text === '' ? NaN : Number(divider === ';' ? text.replace(',', '.') : text);
    if (Number.isFinite(price)) return price;
    throw new CsvError(this.#line, `${JSON.stringify(text.slice(0, 40))} is no price`);
  }

  #timeUsOf(text: string): number {
    if (/^\d{9,19}$/.test(text)) {
      // As in files: the unit is told by the size.
      const value = Number(text);
      if (value < 1e11) return value * 1e6;
      return value < 1e14 ? value * 1000 : value < 1e17 ? value : Number(text.slice(0, -3));
    }
    const parts = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:[.:](\d{1,9}))?(?:Z|\+00:00)?$/.exec(text);
    const secondMs = parts === null ? NaN : Date.parse(`${parts[1]}T${parts[2]}Z`);
    if (Number.isNaN(secondMs)) throw new CsvError(this.#line, `${JSON.stringify(text.slice(0, 40))} is no time that is known here`);
    return secondMs * 1000 + Number((parts?.[3] ?? '').padEnd(6, '0').slice(0, 6));
  }
}

function unquoted(cell: string): string {
  return cell.trim().replace(/^"(.*)"$/, '$1');
}
