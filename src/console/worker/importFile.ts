import { formatTimestamp } from '../../ticks/timestamps.ts';
import { importTicks } from '../../ticks/import/importTicks.ts';
import { isAmbiguousDate, type DateOrderChoice, type Finding, type ImportReport } from '../../ticks/import/ImportReport.ts';
import type { FileNote, FileReport, ReadOptions } from './messages.ts';
import type { TickRing } from './TickRing.ts';

/** The page shows only advice on the file: commands are of no use there. */
function noteOf({ text, advice, severity }: Finding): FileNote {
  const shown = advice.flatMap((each) => (each.code === 'source' ? [each.text] : []));
  return { text: [text, ...shown].join(' '), isWarning: severity !== 'info' };
}

/** Warnings first. */
function notesOf({ notes }: ImportReport): FileNote[] {
  return notes.map(noteOf).sort((a, b) => Number(b.isWarning) - Number(a.isWarning));
}

/** The detected format and packing of the file, in words. */
function formatOf({ title, packing }: ImportReport): string {
  const words = packing.length === 0 ? title : `${title}, ${packing.join(' in ')}`;
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Reads a tick file of any known form into the ring; rows that are out of order by little are put in order. Throws as `importTicks` does. */
export async function importFile(
  chunks: AsyncIterable<Uint8Array>,
  name: string,
  ring: TickRing,
  { zone, dateOrder, barTime, trained }: ReadOptions,
): Promise<Pick<FileReport, 'format' | 'plan' | 'notes' | 'zone' | 'bars'>> {
  const report = await importTicks(chunks, ring, {
    name,
    order: 'sort',
    ...(zone === null ? {} : { zone }),
    ...(dateOrder === null ? {} : { dateOrder }),
    ...(barTime === null ? {} : { barTime }),
    ...(trained === null ? {} : { trained }),
  });
  const tick = (us: number, price: number): string => `${formatTimestamp(us)} UTC at ${price}`;
  const ends = `the first tick is ${tick(report.firstUs, report.firstPrice)}, the last ${tick(report.lastUs, report.lastPrice)}`;
  const plan = `Read by ${report.plan.join('; ')}; ${ends}${report.zone === null ? '' : `; stamps without a zone were read as ${report.zone}`}.`;
  const bars = report.bars === undefined ? null : { periodMs: report.bars.periodUs / 1000, barTime: report.bars.barTime };
  if (bars !== null) ring.setPeriod(bars.periodMs);
  return { format: formatOf(report), plan, notes: notesOf(report), zone: report.zone, bars };
}

const OPTION = /--(?:columns|symbol|event|zone|date-order)\b/g;
const PLAIN_NAME = /^[\w.@%+=:-]+$/;

/** What the user is told where the importer refused the file; undefined for any other error. */
export function refusalOf(
  error: unknown,
  name: string,
): { readonly message: string; readonly dateOrders: readonly DateOrderChoice[] } | undefined {
  if (isAmbiguousDate(error)) return { message: `${error.message} Choose the order below.`, dateOrders: error.orders };
  if (!(error instanceof Error) || error.name !== 'ServiceError') return undefined;
  const { message, code, remedy = '' } = error as Error & { readonly code?: string; readonly remedy?: string };
  // The remedy of other codes speaks of the command line.
  return { message: code === 'file.malformed' ? `${message} ${onPage(remedy, name)}` : message, dateOrders: [] };
}

/** A remedy for the page, which has no fields for most options: the command that writes a file the page reads. */
function onPage(remedy: string, name: string): string {
  // Pasted rows have no file yet.
  const file = !/\.\w+$/.test(name) ? 'FILE' : PLAIN_NAME.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`;
  const named = remedy.replaceAll(/\bFILE\b/g, file);
  const options = named.match(OPTION)?.length ?? 0;
  if (options === 0) return named;
  const these = options === 1 ? 'this option' : 'these options';
  return `${named} This page has no field for ${these}: run "tickmark import ${file} --out read.csv" with ${options === 1 ? 'it' : 'one of them'}, then choose read.csv here.`;
}
