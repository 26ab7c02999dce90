import type { FileMetaData, PageHeader, RowGroup, SchemaElement } from 'hyparquet/src/index.js';
import { ServiceError } from '../../core/ServiceError.ts';
import { columnName, isEventName, isSymbolName, isTickColumn } from './plan/names.ts';
import { fileFault, type ImportOptions } from './ImportReport.ts';
import { joinBytes } from './bytes/unpack.ts';
import { RecordRows } from './RecordRows.ts';
import { unpackLz4 } from './bytes/unpackLz4.ts';

/** Parquet has its table of contents at the end: the file is held in memory. */
const MAX_FILE_BYTES = 1024 * 1024 * 1024;
const BATCH_ROWS = 4096;
/** All columns of a narrower file are read: any of them may hold the time, or another market. */
const MAX_COLUMNS = 64;
/** A group is held in memory, with about 60 bytes for a cell; most programs write at most 1 million rows to a group. */
const MAX_GROUP_ROWS = 10_000_000;
/** Of the columns that are read, unpacked. */
const MAX_GROUP_BYTES = 512 * 1024 * 1024;

/** The rows of a Parquet file as lines of a table, row group by row group. Reading throws ServiceError file.malformed. */
export async function* readParquet(
  chunks: AsyncIterable<Uint8Array>,
  { name, brotli, columns: named = {} }: Pick<ImportOptions, 'name' | 'brotli' | 'columns'>,
): AsyncGenerator<Uint8Array> {
  const bytes = await collect(chunks, name);
  // Loaded when it is needed: a command that reads CSV does not load it.
  const { parquetMetadata, parquetRead, parquetHeader, decompress, gunzipWhole } = await import('./parquetParts.ts');
  const file = bytes.buffer as ArrayBuffer;
  const compressors = {
    ZSTD: (packed: Uint8Array, length: number) => decompress(packed, new Uint8Array(length)),
    GZIP: gunzipWhole,
    LZ4_RAW: unpackLz4,
    ...(brotli === undefined ? {} : { BROTLI: brotli }),
  };
  const whole = (value: bigint): bigint => value;
  const parsers = {
    timestampFromMilliseconds: whole,
    timestampFromMicroseconds: whole,
    timestampFromNanoseconds: whole,
    dateFromDays: (days: number) => new Date(days * 86_400_000).toISOString().slice(0, 10),
  };
  try {
    const metadata = parquetMetadata(file);
    const leaves = metadata.schema
      .slice(1)
      .filter(({ num_children: children }) => (children ?? 0) === 0)
      .map(({ name: column }) => column);
    const known =
      leaves.length <= MAX_COLUMNS || Object.keys(named).length > 0 ? leaves : leaves.filter((column) => isTickColumn(columnName(column)));
    const columns = known.length >= 2 ? known : leaves;
    const kinds = new Map(metadata.schema.slice(1).map((element) => [element.name, element]));
    const precision = Number(metadata.key_value_metadata?.find(({ key }) => key === 'price_precision')?.value ?? NaN);
    const reads = columns.map((column) => readerOf(kinds.get(column)!, precision));
    for (const column of columns) if (isPriceOrTime(columnName(column))) refuseRaw(kinds.get(column)!, precision, name);
    refuseCodecs(metadata, columns, ['UNCOMPRESSED', 'SNAPPY', ...Object.keys(compressors)], name);
    const rows = new RecordRows();
    rows.setHeader(columns);
    let rowStart = 0;
    for (const group of metadata.row_groups) {
      refuseLarge(
        group,
        columns,
        (offset) => {
          const reader = { view: new DataView(file), offset };
          return { header: parquetHeader(reader), end: reader.offset };
        },
        name,
      );
      const rowEnd = rowStart + Number(group.num_rows);
      const parts = new Map<string, { from: number; data: ArrayLike<unknown> }[]>(columns.map((column) => [column, []]));
      await parquetRead({
        file: { byteLength: file.byteLength, slice: (from: number, to?: number) => file.slice(from, to) },
        metadata,
        columns,
        rowStart,
        rowEnd,
        compressors,
        parsers,
        utf8: false,
        onChunk: ({ columnName: column, columnData, rowStart: from }) =>
          void parts.get(column)?.push({ from, data: columnData as ArrayLike<unknown> }),
      });
      const cells = columns.map((column, at) => gathered(parts.get(column)!, rowStart, rowEnd).map(reads[at]));
      for (let row = 0; row < rowEnd - rowStart; row++) {
        rows.addRow(cells.map((data) => data[row]));
        if (row % BATCH_ROWS === 0) yield* rows.take();
      }
      rowStart = rowEnd;
    }
    yield* rows.take(true);
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw fileFault(name, '', `the Parquet data cannot be read (${why.slice(0, 120)})`, 'Download or write the file again.');
  }
}

/** How the values of a column become cells: what the library makes of decimals, short floats, times of day and raw bytes is not what was written. */
function readerOf(element: SchemaElement, precision: number): (value: unknown) => unknown {
  const { type, converted_type: converted, logical_type: logical, scale = 0 } = element;
  if (converted === 'DECIMAL' || logical?.type === 'DECIMAL')
    return (value) => (typeof value === 'number' ? Number(value.toFixed(scale)) : value);
  if (type === 'FLOAT') return (value) => (typeof value === 'number' ? shortest(value) : value);
  // The library knows dates by the older of their two marks alone.
  if (logical?.type === 'DATE')
    return (value) => (typeof value === 'number' ? new Date(value * 86_400_000).toISOString().slice(0, 10) : value);
  if (logical?.type === 'TIME') return (value) => (value === null || value === undefined ? '' : timeText(value, logical.unit));
  if (converted === 'TIME_MILLIS') return (value) => (value === null || value === undefined ? '' : timeText(value, 'MILLIS'));
  if (converted === 'TIME_MICROS') return (value) => (value === null || value === undefined ? '' : timeText(value, 'MICROS'));
  const isText =
    converted === 'UTF8' || converted === 'ENUM' || converted === 'JSON' || logical?.type === 'STRING' || logical?.type === 'ENUM';
  if (type === 'BYTE_ARRAY' && !isText) return (value) => (value instanceof Uint8Array ? new TextDecoder().decode(value) : value);
  if (!isRaw(element)) return (value) => value;
  // Nautilus writes prices as whole numbers, little end first: billionths in 8 bytes, 10^-16 in 16.
  return (value) =>
    value instanceof Uint8Array && precision >= 0
      ? Number((Number(littleEndian(value)) / (value.length > 8 ? 1e16 : 1e9)).toFixed(precision))
      : '(raw bytes)';
}

const isRaw = ({ type, converted_type: converted, logical_type: logical }: SchemaElement): boolean =>
  type === 'FIXED_LEN_BYTE_ARRAY' && converted === undefined && logical === undefined;

const isPriceOrTime = (column: string): boolean => isTickColumn(column) && !isSymbolName(column) && !isEventName(column);

/** Raw bytes of which the file does not say what they are. */
function refuseRaw(element: SchemaElement, precision: number, name: string): void {
  if (!isRaw(element) || precision >= 0) return;
  throw fileFault(
    name,
    '',
    `its column ${element.name} holds ${element.type_length ?? 0} raw bytes a value (FIXED_LEN_BYTE_ARRAY), and the file has no price_precision that says what they are`,
    'Write its prices as DOUBLE or DECIMAL: in pandas, frame.astype({"price": "float64"}).to_parquet("ticks.parquet").',
  );
}

/** The fewest digits that give the same float32. */
function shortest(value: number): number {
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return value;
}

const PER_SECOND = { MILLIS: 1000n, MICROS: 1_000_000n, NANOS: 1_000_000_000n } as const;

/** 09:30:01.053 */
function timeText(value: unknown, unit: keyof typeof PER_SECOND): string {
  const all = BigInt(value as number | bigint);
  const seconds = Number(all / PER_SECOND[unit]);
  const two = (part: number): string => String(part).padStart(2, '0');
  const fraction = String(all % PER_SECOND[unit]).padStart(String(PER_SECOND[unit]).length - 1, '0');
  return `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}.${fraction}`;
}

function littleEndian(bytes: Uint8Array): bigint {
  let value = 0n;
  for (let at = bytes.length - 1; at >= 0; at--) value = value * 256n + BigInt(bytes[at]);
  return BigInt.asIntN(bytes.length * 8, value);
}

/** Codecs that are not read are named, with the way round them, before a page is looked at. */
function refuseCodecs({ row_groups: groups }: FileMetaData, columns: readonly string[], known: readonly string[], name: string): void {
  for (const { meta_data: column } of groups.flatMap((group) => group.columns)) {
    if (column === undefined || known.includes(column.codec) || !columns.includes(column.path_in_schema.at(-1) ?? '')) continue;
    const codec = column.codec === 'LZ4' ? "LZ4 in Hadoop's framing" : column.codec === 'BROTLI' ? 'Brotli' : column.codec;
    throw fileFault(
      name,
      '',
      `its column ${column.path_in_schema.join('.')} is packed with ${codec}, which is not read here`,
      `Write it again with zstd, snappy, gzip or LZ4_RAW: in pandas, frame.to_parquet("ticks.parquet", compression="zstd")${column.codec === 'BROTLI' ? '; tickmark import reads it as it is' : ''}.`,
    );
  }
}

/** Refuses a group that a few bytes describe and that would fill the memory, by the headers of its pages, before one is unpacked. */
function refuseLarge(
  { num_rows: rows, columns: chunks }: RowGroup,
  columns: readonly string[],
  headerAt: (offset: number) => { readonly header: PageHeader; readonly end: number },
  name: string,
): void {
  let [most, bytes] = [Number(rows), 0];
  for (const { meta_data: column } of chunks) {
    if (column === undefined || !columns.includes(column.path_in_schema.at(-1) ?? '')) continue;
    const { data_page_offset: first, dictionary_page_offset: dictionary, total_compressed_size: length } = column;
    const start = Number(dictionary === undefined || dictionary === 0n || dictionary > first ? first : dictionary);
    let [values, words] = [0, 0];
    for (let at = start; at < start + Number(length) - 1;) {
      const { header, end } = headerAt(at);
      values += Math.max(header.data_page_header?.num_values ?? 0, header.data_page_header_v2?.num_values ?? 0);
      words += header.dictionary_page_header?.num_values ?? 0;
      bytes += header.uncompressed_page_size;
      if (header.compressed_page_size < 0 || header.uncompressed_page_size < 0) throw new Error('a page has a negative size');
      at = end + header.compressed_page_size;
    }
    most = Math.max(most, values, words);
  }
  const what =
    most > MAX_GROUP_ROWS ? `${most} rows` : bytes > MAX_GROUP_BYTES ? `${Math.ceil(bytes / 2 ** 20)} MiB of unpacked cells` : undefined;
  if (what === undefined) return;
  throw fileFault(
    name,
    '',
    `a row group has ${what}; at most ${MAX_GROUP_ROWS} rows and ${MAX_GROUP_BYTES / 2 ** 20} MiB of the read columns are held in memory`,
    'Write it with smaller groups: in pandas, frame.to_parquet("ticks.parquet", row_group_size=1_000_000).',
  );
}

function gathered(parts: readonly { from: number; data: ArrayLike<unknown> }[], rowStart: number, rowEnd: number): unknown[] {
  const all = new Array<unknown>(rowEnd - rowStart);
  for (const { from, data } of parts)
    for (let i = 0; i < data.length; i++) if (from + i >= rowStart && from + i < rowEnd) all[from + i - rowStart] = data[i];
  return all;
}

async function collect(chunks: AsyncIterable<Uint8Array>, name: string): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    parts.push(chunk);
    length += chunk.length;
    if (length > MAX_FILE_BYTES)
      throw fileFault(name, '', `the Parquet file is larger than ${MAX_FILE_BYTES / 2 ** 30} GiB`, 'Write it as several files.');
  }
  const all = joinBytes(parts);
  // A Buffer would share its memory with the slice.
  return all.byteLength === all.buffer.byteLength ? all : new Uint8Array(all);
}
