import { plural } from '../../../core/plural.ts';
import type { Advice, Finding, Severity } from '../ImportReport.ts';
import type { QualityMonitor } from '../QualityMonitor.ts';
import type { QualityContext } from './QualityContext.ts';
import { command, nothing, percent, SO_MANY, source } from './words.ts';

/** Of all rows: so many stand in runs of an even number of equal rows where a file was exported twice. */
const MIN_PAIRED_FRACTION = 0.99;

type Counted = {
  readonly severity: Severity;
  readonly text: (count: string, where: string) => string;
  readonly advice: readonly Advice[];
};

/** What the readers count, in words. */
const COUNTED: Readonly<Record<string, Counted>> = {
  'order.step_back': {
    severity: 'error',
    text: (count, where) => `${count} earlier than the row before, the first in ${where}`,
    advice: [],
  },
  'stamp.ahead': {
    severity: 'warning',
    text: (count, where) => `${count} stamped far ahead of the rows around, the first in ${where}; left out`,
    advice: [source('Do nothing if there are few; otherwise correct the clock of what records them.')],
  },
  'row.malformed': {
    severity: 'error',
    text: (count, where) => `${count} not readable, the first in ${where}`,
    advice: [source('Correct the row or remove it.'), command('Or leave it out of a copy: tickmark doctor FILE --fix.')],
  },
  'row.repeated': {
    severity: 'warning',
    text: (count, where) => `${count} byte for byte the row before, the first in ${where}`,
    advice: [source('Export the file again.'), command('Or leave the second rows out: tickmark doctor FILE --fix.')],
  },
  'row.no_price': {
    severity: 'warning',
    text: (count, where) => `${count} without a price left out, the first in ${where}`,
    advice: [source('Do nothing if the market was closed there, or if they are trades among quotes; otherwise export the file again.')],
  },
  'row.filled': {
    severity: 'info',
    text: (count, where) =>
      `${count} of volume 0 that repeat the close before them left out, as if they were missing, the first in ${where}`,
    advice: [nothing('Nothing; some sources fill the time in which a market is closed.')],
  },
  'row.no_stamp': {
    severity: 'warning',
    text: (count, where) => `${count} without a time left out, the first in ${where}`,
    advice: [source('Do nothing if they are few: no tick can be made of a row without a time.')],
  },
  'row.header_again': {
    severity: 'info',
    text: (count, where) => `${count} that repeat the header left out, the first in ${where}`,
    advice: [nothing('Nothing; this is normal in concatenated files.')],
  },
  'row.cut_off': {
    severity: 'warning',
    text: (_count, where) => `The last row, ${where}, is cut off and was left out`,
    advice: [source('Download the file again: more may be missing than this row.')],
  },
  'row.nul_tail': {
    severity: 'warning',
    text: (_count, where) => `From ${where} on the file is filled up with zero bytes, which were left out`,
    advice: [source('Download the file again: ticks may be missing there.')],
  },
  'row.other': {
    severity: 'info',
    text: (count, where) => `${count} of another market or kind than those that are read, the first in ${where}; left out`,
    advice: [],
  },
  'price.not_positive': {
    severity: 'warning',
    text: (count, where) => `${count} with a price of 0 or less left out, the first in ${where}`,
    advice: [source('Do nothing if there are few; otherwise check that the right column is read.')],
  },
  'quote.crossed': {
    severity: 'warning',
    text: (count, where) => `${count} with a bid above the ask, the first in ${where}`,
    advice: [
      source('Do nothing if there are few; if it is every row, bid and ask are swapped.'),
      command('tickmark doctor FILE --fix leaves them out.'),
    ],
  },
  'zone.several_offsets': {
    severity: 'info',
    text: (count, where) => `${count} with another offset from UTC than the first row, the first in ${where}; each was read by its own`,
    advice: [nothing('Nothing; this is normal for a zone with daylight saving time.')],
  },
};

/** What the readers count, for the page that lists it. */
export const COUNTED_CODES: readonly string[] = Object.keys(COUNTED);

export function counted(seen: QualityMonitor, context: QualityContext): Finding[] {
  const { word, malformed, lateAdvice } = context;
  return [...seen.counts].flatMap(([code, { count, firstLine }]) => {
    const row = COUNTED[code];
    if (row === undefined) return [];
    const { severity, advice } = row;
    const words = code === 'row.cut_off' ? '' : plural(count, 'row is', 'rows are');
    const text = row.text(words, `${word} ${firstLine}`);
    if (code === 'row.malformed')
      return [
        { code, severity, text: `${text}: ${malformed?.found}.`, advice: malformed?.isMany ? [source(SO_MANY)] : advice, count, firstLine },
      ];
    if (code === 'order.step_back') return [{ code, severity, text: `${text}.`, advice: [command(lateAdvice)], count, firstLine }];
    if (code === 'row.repeated') return [repeated(seen, context, { code, severity, text, advice, count, firstLine })];
    return [{ code, severity, text: `${text}.`, advice, count, firstLine }];
  });
}

/** Trades of one moment at one price are equal rows, in some files most of them. Only a file that was exported twice is worth advice. */
function repeated(seen: QualityMonitor, { rows, hasRowIds }: QualityContext, finding: Finding): Finding {
  const text = `${finding.text} (${percent(finding.count / rows)} of all rows)`;
  if (hasRowIds) return { ...finding, text: `${text}; each row has its own number, so these were written twice.` };
  if (seen.rowsInPairs >= MIN_PAIRED_FRACTION * rows) return { ...finding, text: `${text}: nearly every row occurs twice.` };
  return { ...finding, severity: 'info', text: `${text}, which is normal if several trades have the same stamp and price.`, advice: [] };
}
