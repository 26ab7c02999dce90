import { finding, source } from './findings/words.ts';
import { fileFault, type Finding, type FormatId } from './ImportReport.ts';
import { RecordRows } from './RecordRows.ts';
import { addExchangeTicks, ExchangeLines, isExchangeMessage, messageIn } from '../exchange/exchangeMessages.ts';

/** A record is longer only to cost memory. */
const MAX_RECORD_CHARS = 1024 * 1024;
/** A document that is one object is held in memory. */
const MAX_DOCUMENT_CHARS = 64 * 1024 * 1024;
/** Of a longer line the beginning alone was read. */
const MAX_HEAD_CHARS = 32 * 1024;
const REMEDY = 'Write an array of objects such as {"timestamp": "…", "price": 1.5}, or one such object a line.';

export type JsonRows = { readonly format: FormatId; readonly chunks: AsyncIterable<Uint8Array>; readonly notes: Finding[] };

/** JSON as lines of a table. `head`: the beginning of the text, by which arrays, lines and documents are told apart. Reading throws ServiceError file.malformed. */
export function readJson(head: string, chunks: AsyncIterable<Uint8Array>, name: string): JsonRows {
  const notes: Finding[] = [];
  const [first = '', second] = head.split(/\r?\n/).filter((line) => line.trim() !== '');
  const message = messageIn(first);
  // A whole file of one line may be a document that looks like a message.
  if (isExchangeMessage(message) && (second === undefined ? holdsTick(message) : isLineOfJson(second)))
    return { format: 'messages', chunks: messages(chunks, name), notes };
  const record = parsed(first);
  const isDocument =
    second === undefined && isRecord(record) && tablesIn(record as object, '', 0).some(({ records }) => records.length > 1);
  const isObject = typeof record === 'object' && record !== null && !Array.isArray(record);
  const isLines = !isDocument && (second === undefined ? isRecord(record) : isObject && /^\s*[[{]/.test(second));
  if (isLines) return { format: 'json-lines', chunks: lines(chunks, name, notes), notes };
  if (first.trimStart().startsWith('[')) return { format: 'json', chunks: elements(chunks, name), notes };
  const isRequest = /^\s*\{\s*"(?:Timestamp|Price)"\s*:/.test(head);
  return { format: isRequest ? 'tickmark-request' : 'json', chunks: document(chunks, name, notes), notes };
}

function holdsTick(message: unknown): boolean {
  let count = 0;
  addExchangeTicks(message, () => count++);
  return count > 0;
}

const isLineOfJson = (line: string): boolean => typeof messageIn(line) === 'object' || line.length > MAX_HEAD_CHARS;

/** Messages of an exchange as the ticks in them, whatever their keys and the order of those. */
async function* messages(chunks: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Uint8Array> {
  const rows = new RecordRows();
  rows.setHeader(['timestamp', 'symbol', 'event', 'price', 'bid', 'ask']);
  const exchange = new ExchangeLines();
  let row = 0;
  let ticks = 0;
  const add = (line: string, isLast: boolean): void => {
    row++;
    if (line.trim() === '') return;
    const isMessage = exchange.read(line, ({ symbol, timeUs, ...tick }) => {
      ticks++;
      if (timeUs === undefined)
        throw fileFault(
          name,
          `line ${row}`,
          `the message of ${symbol} has no time`,
          'Record a stream with times, such as trade or aggTrade; tickmark live - takes such messages as they come.',
        );
      rows.addRow('price' in tick ? [timeUs, symbol, 'trade', tick.price, '', ''] : [timeUs, symbol, 'quote', '', tick.bid, tick.ask]);
    });
    // A recording may be cut off within its last line.
    if (!isMessage && !isLast)
      throw fileFault(name, `line ${row}`, `${JSON.stringify(line.trim().slice(0, 60))} is not a message of an exchange`, REMEDY);
  };
  add(yield* eachLine(chunks, name, rows, (line) => add(line, false)), true);
  if (ticks === 0)
    throw fileFault(
      name,
      '',
      `none of its ${row} messages is a trade or a best bid and ask`,
      'Record a stream of trades, such as trade of Binance, publicTrade of Bybit, trades of OKX and Hyperliquid, or matches of Coinbase.',
    );
  yield* rows.take(true);
}

/** Values side by side, as opposed to a document with lists in it. */
function isRecord(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return (
    Object.values(value).some((field) => typeof field !== 'object') &&
    !Object.values(value).some((field) => Array.isArray(field) && field.length > 20)
  );
}

/** A double does not hold every whole number of so many digits, and so no stamp in nanoseconds or .NET ticks. */
const LONG_NUMBER = /[:[,]\s*\d{17,}/;
/** Texts, which are left as they are, or such numbers, which become texts. */
const TEXT_OR_LONG = /"(?:[^"\\]|\\.)*"|\d{17,}(?![\d.eE])/g;

const NOT_A_NUMBER = /[:[,]\s*(?:NaN|-?Infinity)\s*[,\]}]/;
const TEXT_OR_NOT_A_NUMBER = /"(?:[^"\\]|\\.)*"|NaN|-?Infinity/g;

function parsed(text: string): unknown {
  const outsideTexts = (look: RegExp, write: (found: string) => string): string =>
    text.replace(look, (found) => (found.startsWith('"') ? found : write(found)));
  try {
    return JSON.parse(LONG_NUMBER.test(text) ? outsideTexts(TEXT_OR_LONG, (found) => `"${found}"`) : text);
  } catch {
    // As Python writes numbers that are none. In a text they stay, and what does not change is not parsed again.
    const plain = NOT_A_NUMBER.test(text) ? outsideTexts(TEXT_OR_NOT_A_NUMBER, () => 'null') : text;
    return plain === text ? undefined : parsed(plain);
  }
}

async function* textOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true });
  yield decoder.decode();
}

/** Gives each line to `add` and yields the rows that gather. Returns the last line, which may be cut off. */
async function* eachLine(
  chunks: AsyncIterable<Uint8Array>,
  name: string,
  rows: RecordRows,
  add: (line: string) => void,
): AsyncGenerator<Uint8Array, string> {
  let [rest, count] = ['', 0];
  for await (const text of textOf(chunks)) {
    const all = (rest + text).split('\n');
    rest = all.pop()!;
    if (rest.length > MAX_RECORD_CHARS) throw tooLong(name, count + 1);
    count += all.length;
    for (const line of all) add(line);
    yield* rows.take();
  }
  return rest;
}

async function* lines(chunks: AsyncIterable<Uint8Array>, name: string, notes: Finding[]): AsyncGenerator<Uint8Array> {
  const rows = new RecordRows();
  let row = 0;
  const add = (line: string): void => {
    row++;
    if (line.trim() !== '') rows.addRecord(unwrapped(recordOf(line, name, row)));
  };
  const rest = yield* eachLine(chunks, name, rows, add);
  // A recording may be cut off within its last line.
  if (row === 0 || rest.trim() === '' || parsed(rest) !== undefined) add(rest);
  else
    notes.push(
      finding('row.cut_off', 'warning', `The last row, row ${row + 1}, is cut off and was left out.`, [
        source('Download the file again: more may be missing than this row.'),
      ]),
    );
  yield* rows.take(true);
}

/** The elements of an array, cut out by counting brackets outside of strings. */
async function* elements(chunks: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Uint8Array> {
  const rows = new RecordRows();
  let held = '';
  let depth = 0;
  let isText = false;
  let isEscaped = false;
  let row = 0;
  for await (const text of textOf(chunks)) {
    let from = 0;
    for (let at = 0; at < text.length; at++) {
      const char = text.charCodeAt(at);
      if (isText) {
        if (isEscaped) isEscaped = false;
        else if (char === 92) isEscaped = true;
        else if (char === 34) isText = false;
      } else if (char === 34) isText = true;
      else if (char === 91 || char === 123) {
        if (++depth === 1) from = at + 1;
      } else if (char === 93 || char === 125 || (char === 44 && depth === 1)) {
        if (char !== 44) depth--;
        const isEnd = char === 44 || depth === 0;
        if (isEnd) {
          const element = held + text.slice(from, at);
          held = '';
          from = at + 1;
          if (element.trim() !== '') rows.addRecord(recordOf(element, name, ++row));
        }
        if (depth < 0) throw fileFault(name, `row ${row}`, 'there is one closing bracket too many', REMEDY);
      }
    }
    if (depth > 0) held += text.slice(from);
    if (held.length > MAX_RECORD_CHARS) throw tooLong(name, row + 1);
    yield* rows.take();
  }
  if (depth > 0) throw fileFault(name, `row ${row + 1}`, 'the array is not closed: the file is cut off', 'Download the file again.');
  yield* rows.take(true);
}

/** One object: lists side by side, as in a request of tickmark, or the one list of records in it. */
async function* document(chunks: AsyncIterable<Uint8Array>, name: string, notes: Finding[]): AsyncGenerator<Uint8Array> {
  let text = '';
  for await (const part of textOf(chunks)) {
    text += part;
    if (text.length > MAX_DOCUMENT_CHARS)
      throw fileFault(name, '', `it is one JSON object of more than ${MAX_DOCUMENT_CHARS / 2 ** 20} MiB`, REMEDY);
  }
  const value = parsed(text);
  if (typeof value !== 'object' || value === null)
    throw fileFault(name, '', 'it begins like JSON but is not valid JSON', 'Download or export it again.');
  const rows = new RecordRows();
  const tables = tablesIn(value, '', 0);
  if (tables.length > 0) {
    const names = namesOf(value, tables[0].records[0]);
    if (tables.length === 1 && names !== undefined) rows.setHeader(names);
    // Alpaca gives a list for each symbol.
    const isNamed = tables.length > 1;
    const first = tables[0].records[0];
    if (isNamed && !Array.isArray(first)) rows.setHeader([...Object.keys(first), 'symbol']);
    for (const { key, records } of tables)
      for (const [i, record] of records.entries()) {
        if (typeof record !== 'object' || record === null)
          throw fileFault(name, `row ${i + 1}`, 'it is neither an object nor an array', REMEDY);
        rows.addRecord(!isNamed ? record : Array.isArray(record) ? [...(record as unknown[]), key] : { ...record, symbol: key });
        yield* rows.take();
      }
  } else {
    const entries = Object.entries(value as Readonly<Record<string, unknown>>);
    // As pandas writes a frame: {"ts": {"0": …}, "price": {"0": …}}, or its rows under their numbers.
    const inner = entries.flatMap(([, each]) => (typeof each === 'object' && each !== null && !Array.isArray(each) ? [each] : []));
    const isFrame = inner.length === entries.length && inner.length > 1;
    const isOfRows = isFrame && inner.length > Object.keys(inner[0]).length;
    if (isOfRows) for (const record of inner) rows.addRecord(record);
    else
      yield* columns(
        entries
          .map(([key, each]): [string, unknown[]] => [key, Array.isArray(each) ? each : isFrame ? Object.values(each as object) : []])
          .filter(([, list]) => list.length > 0),
        name,
        notes,
        rows,
      );
  }
  yield* rows.take(true);
}

/** Names next to lists of values, as pandas writes `split`: {"columns": ["ts", "price"], "data": [[…]]}, or objects with a name. */
function namesOf(value: object, first: object): readonly string[] | undefined {
  if (!Array.isArray(first)) return undefined;
  return Object.values(value)
    .filter((list): list is unknown[] => Array.isArray(list) && list.length === first.length)
    .map((list) => list.map((name) => (typeof name === 'object' && name !== null && 'name' in name ? name.name : name)))
    .find((list): list is string[] => list.every((name) => typeof name === 'string'));
}

/** Objects in objects are looked through to this depth. */
const MAX_DEPTH = 4;

/** The lists of records in a document, with their keys: those next to the first one that hold records of its kind. */
function tablesIn(value: object, key: string, depth: number): { readonly key: string; readonly records: readonly object[] }[] {
  if (Array.isArray(value))
    return value.length > 0 && typeof value[0] === 'object' && value[0] !== null ? [{ key, records: value as object[] }] : [];
  if (depth === MAX_DEPTH) return [];
  let largest: ReturnType<typeof tablesIn> = [];
  for (const [name, inner] of Object.entries(value)) {
    if (typeof inner !== 'object' || inner === null) continue;
    const found = tablesIn(inner as object, name, depth + 1);
    if (found.length === 0) continue;
    // Lists side by side are those of several markets, where nothing else stands next to them.
    const siblings = Object.entries(value).map(([other, each]) => (Array.isArray(each) ? tablesIn(each as object, other, MAX_DEPTH) : []));
    if (depth > 0 && siblings.every(({ length }) => length === 1)) return siblings.flat();
    // Next to the rows, a list may say what their columns are.
    if (largest.length === 0 || found[0].records.length > largest[0].records.length) largest = found;
  }
  return largest;
}

function* columns(lists: [string, unknown[]][], name: string, notes: Finding[], rows: RecordRows): Generator<Uint8Array> {
  const length = lists[0]?.[1].length ?? 0;
  const same = lists.filter(([, list]) => list.length === length);
  if (same.length < 2) throw fileFault(name, '', 'the JSON object has neither a list of records nor lists of equal length', REMEDY);
  rows.setHeader(same.map(([key]) => key));
  const prices = same.find(([key]) => key === 'Price')?.[1];
  const isRequest = prices?.at(-1) === 0;
  for (let i = 0; i < (isRequest ? length - 1 : length); i++) {
    rows.addRow(same.map(([, list]) => list[i]));
    yield* rows.take();
  }
  if (isRequest) notes.push(finding('request.future', 'info', 'The last entry is the future timestamp of a request, not a tick.', []));
}

/** The record in an object that holds it and nothing else: {"data": {"t": …, "p": …}}. */
function unwrapped(record: object): object {
  const [inner, ...others] = Object.values(record) as unknown[];
  return others.length === 0 && typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? inner : record;
}

function recordOf(text: string, name: string, row: number): object {
  const record = parsed(text);
  if (typeof record === 'object' && record !== null) return record;
  throw fileFault(name, `row ${row}`, `${JSON.stringify(text.trim().slice(0, 60))} is not a JSON object or array`, REMEDY);
}

const tooLong = (name: string, row: number): Error =>
  fileFault(name, `row ${row}`, `the record is longer than ${MAX_RECORD_CHARS / 2 ** 20} MiB`, REMEDY);
