import { importTicks } from '../../import/importTicks.ts';
import type { Finding, ImportReport } from '../../import/ImportReport.ts';
import type { FileNote, FileReport, ReadOptions } from './messages.ts';
import type { TickRing } from './TickRing.ts';

/** Advice that names an option of the command line helps nobody on a page. */
const OF_THE_COMMAND_LINE = /(^|\s)--?[a-z]/;
const NOTHING_TO_DO = /^Nothing\b/;

const SENTENCE = /\S.*?[.!?](?=\s|$)/g;

function noteOf({ text, fix, severity }: Finding): FileNote {
  const advice = (fix.match(SENTENCE) ?? []).filter((sentence) => !NOTHING_TO_DO.test(sentence) && !OF_THE_COMMAND_LINE.test(sentence));
  return { text: [text, ...advice].join(' '), isWarning: severity !== 'info' };
}

/** What makes forecasts worse first. */
function notesOf({ notes }: ImportReport): FileNote[] {
  return notes.map(noteOf).sort((a, b) => Number(b.isWarning) - Number(a.isWarning));
}

/** What the file was taken for, in words, what it was packed in included. */
function formatOf({ title, packing }: ImportReport): string {
  const words = packing.length === 0 ? title : `${title}, ${packing.join(' in ')}`;
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Reads a tick file of any known form into the ring; rows that are out of order by little are put in order. Throws as `importTicks` does. */
export async function importFile(
  chunks: AsyncIterable<Uint8Array>,
  name: string,
  ring: TickRing,
  { zone, trained }: ReadOptions,
): Promise<Pick<FileReport, 'format' | 'notes' | 'zone'>> {
  const report = await importTicks(chunks, ring, {
    name,
    order: 'sort',
    ...(zone === null ? {} : { zone }),
    ...(trained === null ? {} : { trained }),
  });
  return { format: formatOf(report), notes: notesOf(report), zone: report.zone };
}

/** The sentences for the user where the importer refused the file; undefined for any other error. */
export function refusalOf(error: unknown): string | undefined {
  return error instanceof Error && error.name === 'ServiceError' ? error.message : undefined;
}
