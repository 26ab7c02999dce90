import { formatTimestamp } from '../../ticks/timestamps.ts';
import { importTicks } from '../../ticks/import/importTicks.ts';
import type { Finding, ImportReport } from '../../ticks/import/ImportReport.ts';
import { waysOn } from '../../ticks/import/plan/refusals.ts';
import type { FileNote, FileReport, ReadOptions, Refusal } from './messages.ts';
import { wayOptions } from './readingWay.ts';
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
  { zone, way, barTime, trained }: ReadOptions,
): Promise<Pick<FileReport, 'format' | 'plan' | 'notes' | 'zone' | 'bars'>> {
  const report = await importTicks(chunks, ring, {
    name,
    order: 'sort',
    ...(zone === null ? {} : { zone }),
    ...(way === null ? {} : wayOptions(way)),
    ...(barTime === null ? {} : { barTime }),
    ...(trained === null ? {} : { trained }),
  });
  const tick = (us: number, price: number): string => `${formatTimestamp(us)} UTC at ${price}`;
  const ends = `the first tick is ${tick(report.firstUs, report.firstPrice)}, the last ${tick(report.lastUs, report.lastPrice)}`;
  const plan = `Read by ${report.plan.join('; ')}; ${ends}${report.zone === null ? '' : `; stamps without a zone were read as ${report.zone}`}.`;
  const bars = report.bars === undefined ? null : { periodMs: report.bars.periodUs / 1000, barTime: report.bars.barTime };
  if (bars !== null) ring.setBars({ periodMs: bars.periodMs, ...(bars.barTime === null ? {} : { barTime: bars.barTime }) });
  return { format: formatOf(report), plan, notes: notesOf(report), zone: report.zone, bars };
}

/** A remedy may name an option that is no way of its own, such as one with a placeholder: the page has none. */
const OPTION = /--\w/;
const TITLES = 'Give the columns the titles time and price, or time, bid and ask.';

/** What the user is told where the importer refused the file, and the ways to read it; undefined for any other error. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (!(error instanceof Error) || error.name !== 'ServiceError') return undefined;
  const { message, code, remedy = '' } = error as Error & { readonly code?: string; readonly remedy?: string };
  const ways = waysOn(error).filter((way) => !/=NAME\b/.test(way));
  if (ways.length > 0) return { message: `${message} Choose below how it is read.`, ways };
  // The remedy of other codes speaks of the command line.
  if (code !== 'file.malformed') return { message, ways };
  const told = remedy.split(/(?<=\.) /).filter((sentence) => !OPTION.test(sentence));
  return { message: [message, ...(told.length === 0 ? [TITLES] : told)].join(' '), ways };
}
