import { systemClock } from '../../core/Clock.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import { plural } from '../../core/plural.ts';
import { BarOpenings, type StampEvidence } from '../BarOpenings.ts';
import { messageIn } from '../exchange/exchangeMessages.ts';
import { US_PER_YEAR } from '../timestamps.ts';
import { barTime, BarWatch, watched } from './BarWatch.ts';
import { zoneClock } from './DateReader.ts';
import { DelimitedReader } from './DelimitedReader.ts';
import {
  type Advice,
  fileFault,
  type Finding,
  FORMAT_TITLES,
  type FormatId,
  type ImportOptions,
  type ImportReport,
  type ImportSink,
} from './ImportReport.ts';
import type { LayoutOptions } from './LayoutSearch.ts';
import { QualityMonitor } from './QualityMonitor.ts';
import { ReversedRows } from './ReversedRows.ts';
import type { TableLayout } from './TableLayout.ts';
import type { RowNames } from './TickRows.ts';
import { TickStage } from './TickStage.ts';
import { asUtf8, peekBytes, unpack } from './bytes/unpack.ts';
import { describeQuality } from './describeQuality.ts';
import { findLayout } from './findLayout.ts';
import { command, finding, nothing, SO_MANY, source } from './findings/words.ts';
import { readJson } from './readJson.ts';
import { readParquet } from './readParquet.ts';
import { refuseForeign } from './refuseForeign.ts';

/** The bytes by which the format is detected. */
const HEAD_BYTES = 64 * 1024;
/** Of the rows: more that cannot be read are no slips, and the file is refused. One row may always be left out. */
const MAX_MALFORMED_FRACTION = 0.01;

/** Findings that, as errors, leave the reading in doubt: no forecast is made of such a file. */
const DOUBTS: readonly string[] = [
  'stamp.year',
  'stamp.midnight',
  'stamp.span',
  'stamp.missing',
  'price.two_levels',
  'price.spike',
  'price.below_zero',
  'price.ends_without',
];

/** Text as lines of a table, and what it was made from. */
type Source = {
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly format: FormatId | undefined;
  readonly names: RowNames;
  readonly notes: Finding[];
};

/**
 * Gives the ticks of a file of any known form to a sink, in one pass and bounded memory (Parquet and a JSON document that is one object are
 * held whole, of a file from newest to oldest the ticks), and says what was read and what was found in it. Runs in a browser as it does in Node.js.
 *
 * @param chunks the bytes as stored, in order, in chunks of any size
 * @throws ServiceError file.malformed with file, line, value, rule and how to fix it; the sink may have been given ticks before.
 *   command.invalid for an unknown zone. What the chunks and the sink throw passes through.
 */
export async function importTicks(chunks: AsyncIterable<Uint8Array>, sink: ImportSink, options: ImportOptions): Promise<ImportReport> {
  const iterator = chunks[Symbol.asyncIterator]();
  try {
    return await importAll({ [Symbol.asyncIterator]: () => iterator }, sink, options);
  } finally {
    // After a refusal that comes before all chunks were read: the source closes its file.
    await iterator.return?.();
  }
}

async function importAll(chunks: AsyncIterable<Uint8Array>, sink: ImportSink, options: ImportOptions): Promise<ImportReport> {
  const { name } = options;
  const unpacked = await unpack(options.onProgress === undefined ? chunks : counted(chunks, options.onProgress), name, options.gunzip);
  const text = await textSource(unpacked.chunks, options);
  const peeked = await peekBytes(text.chunks, HEAD_BYTES);
  const nowMs = options.nowMs ?? systemClock.nowMs();
  const { head, isUtf8 } = headText(peeked.head);
  const layout = planOf(head, peeked.isWhole && peeked.head.length < HEAD_BYTES, { ...options, nowMs, isUtf8, rowNames: text.names });
  const zone = options.zone ?? layout.zone ?? 'UTC';
  const clock = zoneClock(zone, layout.isNewestFirst);
  const quality = new QualityMonitor(layout.kind, layout.bars?.periodUs);
  const { word } = text.names;
  if (layout.bars !== undefined) options.onBars?.(layout.bars);
  const openings = layout.bars === undefined ? undefined : new BarOpenings(layout.bars.periodUs, layout.bars.barTime);
  const bars = new BarWatch(layout.bars?.periodUs ?? 0);
  const stage = new TickStage(openings === undefined ? sink : watched(sink, openings, bars), quality, layout, { ...options, word });
  const reversed = layout.isNewestFirst ? new ReversedRows(stage, name) : undefined;
  const reader = new DelimitedReader(layout, name, reversed ?? stage, clock, text.names);
  // Lines that end in a carriage return alone, as old spreadsheets write them.
  const isCr = !head.includes('\n') && head.includes('\r');
  for await (const chunk of peeked.chunks) reader.add(isCr ? chunk.map((byte) => (byte === 13 ? 10 : byte)) : chunk);
  reader.end();
  reversed?.end();
  stage.end();
  quality.end();
  const { rows, ticks, malformed, firstUs, lastUs, firstPrice, lastPrice } = stage;
  const count = quality.counts.get('row.malformed')?.count ?? 0;
  const isMany = count > Math.max(1, MAX_MALFORMED_FRACTION * rows);
  if (malformed !== undefined && ((isMany && options.doubts !== 'report') || ticks === 0)) {
    const { where, found } = malformed;
    throw fileFault(name, '', `${count} of ${plural(rows, 'row')} cannot be read; of the first one, in ${where}, ${found}`, SO_MANY);
  }
  if (ticks === 0)
    throw fileFault(
      name,
      '',
      `none of its ${plural(rows, 'row')} holds a tick with a price above 0`,
      'Check that it was exported in full; prices and spreads of 0 or below 0 are not supported.',
    );
  const carriesZone = reader.hasZone;
  const findings = describeQuality(quality, {
    word,
    zone: carriesZone ? undefined : zone,
    trained: options.trained,
    barPeriodUs: layout.bars?.periodUs ?? 0,
    rows,
    hasRowIds: layout.hasRowIds,
    malformed: malformed && { found: malformed.found, isMany },
    lateAdvice: stage.lateAdvice,
    latestUs: nowMs * 1000 + US_PER_YEAR,
    isEpoch: layout.stamp.kind === 'epoch',
  });
  const doubt = findings.find(({ code, severity }) => severity === 'error' && DOUBTS.includes(code));
  if (doubt !== undefined && options.doubts !== 'report')
    throw fileFault(name, '', doubt.text.replace(/\.$/, ''), doubt.advice.map(({ text }) => text).join(' '));
  const isOfText = text.format === 'tickmark-request' || text.format === 'messages' || layout.format === 'delimited';
  const format = (isOfText ? text.format : undefined) ?? layout.format;
  return {
    format,
    title: titleOf(format, layout, text.format),
    kind: layout.kind,
    bars: layout.bars,
    packing: unpacked.packing,
    ...{ rows, ticks, firstUs, lastUs, firstPrice, lastPrice },
    plan: layout.plan,
    zone: carriesZone || (options.zone === undefined && isUtcByFormat(layout)) ? null : zone,
    notes: [
      ...unpacked.notes,
      ...text.notes,
      ...readingNotes(layout, carriesZone, options.zone, openings?.evidence() ?? null),
      ...bars.findings(),
      ...findings,
    ],
  };
}

/** Text that is no UTF-8 is mostly Chinese: its letters are then right, and those of other encodings letters at least. */
function headText(head: Uint8Array): { readonly head: string; readonly isUtf8: boolean } {
  const text = new TextDecoder().decode(head);
  // The last letter may be cut.
  const isUtf8 = !text.slice(0, -4).includes('\ufffd');
  return { head: isUtf8 ? text : new TextDecoder('gb18030').decode(head), isUtf8 };
}

const NOT_UTF8 = 'Its text is not UTF-8 but perhaps GBK, Big5 or Windows-1252: name columns by their numbers, or save it as UTF-8.';

function planOf(head: string, isWhole: boolean, options: LayoutOptions): TableLayout {
  try {
    return findLayout(head, isWhole, options);
  } catch (error) {
    if (options.isUtf8 || !(error instanceof ServiceError)) throw error;
    throw new ServiceError(error.code, error.message, { remedy: `${error.remedy ?? ''} ${NOT_UTF8}`.trim(), cause: error });
  }
}

async function textSource(unpacked: AsyncIterable<Uint8Array>, options: ImportOptions): Promise<Source> {
  const { name } = options;
  const packed = await peekBytes(unpacked, HEAD_BYTES);
  const rows: RowNames = { word: 'row', offset: -1 };
  if (packed.head[0] === 0x50 && packed.head[1] === 0x41 && packed.head[2] === 0x52 && packed.head[3] === 0x31)
    return { chunks: readParquet(packed.chunks, options), format: 'parquet', names: rows, notes: [] };
  const text = await peekBytes(asUtf8(packed), HEAD_BYTES);
  refuseForeign(text.head, name);
  const head = new TextDecoder().decode(text.head);
  if (!/^\s*[[{]/.test(head) && typeof messageIn(head.split('\n', 1)[0]) !== 'object')
    return { chunks: text.chunks, format: undefined, names: { word: 'line', offset: 0 }, notes: [] };
  const { format, chunks, notes } = readJson(head, text.chunks, name);
  return { chunks, format, names: head.trimStart().startsWith('[') && /^\s*\[\s*\[/.test(head) ? { word: 'row', offset: 0 } : rows, notes };
}

async function* counted(chunks: AsyncIterable<Uint8Array>, onProgress: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of chunks) {
    yield chunk;
    bytes += chunk.length;
    onProgress(bytes);
  }
}

function titleOf(format: FormatId, { traits, format: table }: TableLayout, source: FormatId | undefined): string {
  const carrier = source !== undefined && source !== format ? [`as ${FORMAT_TITLES[source]}`] : [];
  const shown = [
    ...carrier,
    ...(source === undefined ? traits : source === 'messages' ? [] : traits.filter((trait) => trait !== 'no header')),
  ];
  return `${FORMAT_TITLES[source === undefined ? table : format]}${shown.length === 0 ? '' : ` (${shown.join(', ')})`}`;
}

/** Stamps that name no zone and need none: tickmark's own files, and those whose header or source says UTC. */
function isUtcByFormat({ format, zone }: TableLayout): boolean {
  return format === 'tickmark' || zone === 'UTC';
}

/** The assumptions of the reading, so that the user can correct them. */
function readingNotes(layout: TableLayout, carriesZone: boolean, zone: string | undefined, looks: StampEvidence | null): Finding[] {
  const notes: Finding[] = [];
  const note = (code: string, text: string, advice: Advice): void => void notes.push(finding(code, 'info', text, [advice]));
  if (layout.bars !== undefined) {
    note(
      'bars.close',
      `These are bars of ${layout.bars.periodUs / 1e6} s: the close of each counts from the end of the bar on.`,
      source('Use ticks if you can get them: a bar does not show what happened inside it.'),
    );
    notes.push(...barTime(layout.bars, looks));
  }
  if (layout.isNewestFirst)
    note(
      'order.newest_first',
      'The rows run from newest to oldest; they were read from the last one on.',
      nothing('Nothing; tickmark import FILE --out FILE.csv writes them in order.'),
    );
  if (carriesZone || zone !== undefined) return notes;
  if (layout.format === 'histdata')
    note(
      'zone.assumed',
      'HistData writes New York time without summer time: 5 h were added to get UTC.',
      command('NinjaTrader writes UTC in the same columns: if the file is from there, or yours differ, name the zone: --zone UTC.'),
    );
  else if (layout.format === 'metatrader')
    note(
      'zone.assumed',
      "MetaTrader writes the broker's server time, which the file does not name; it was read as UTC.",
      command('Name the zone of the server, often --zone Europe/Athens; only the time of day depends on it.'),
    );
  else if (layout.zone !== undefined && layout.zone !== 'UTC')
    note(
      'zone.assumed',
      `The title of the column names the zone ${layout.zone}; the stamps were read in it.`,
      command('If they are in another one, name it: --zone UTC.'),
    );
  else if (!isUtcByFormat(layout))
    note(
      'zone.assumed',
      'The stamps carry no zone; they were read as UTC.',
      command('If they are not, name the zone: --zone America/New_York.'),
    );
  return notes;
}
