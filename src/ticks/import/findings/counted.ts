import { plural } from '../../../core/plural.ts';
import type { Advice, Finding, Severity } from '../ImportReport.ts';
import type { QualityMonitor } from '../QualityMonitor.ts';
import { command, nothing, percent, SO_MANY, source, type QualityContext } from './words.ts';

/** Of all rows: so many stand in runs of an even number of equal rows where a file was exported twice. */
const MIN_PAIRED_FRACTION = 0.99;

type Counted = { readonly severity: Severity; readonly text: string; readonly advice: readonly Advice[] };
const row = (severity: Severity, text: string, ...advice: readonly Advice[]): Counted => ({ severity, text, advice });

/** What the readers count, in words: `{rows}` stands for `3 rows are`, `{where}` for the line of the first one. */
const COUNTED: Readonly<Record<string, Counted>> = {
  'order.step_back': row('error', '{rows} earlier than the row before, the first in {where}'),
  'stamp.ahead': row(
    'warning',
    '{rows} stamped far ahead of the rows around, the first in {where}; left out',
    source('Do nothing if there are few; otherwise correct the clock of what records them.'),
  ),
  'row.malformed': row(
    'error',
    '{rows} not readable, the first in {where}',
    source('Correct the row or remove it.'),
    command('Or leave it out of a copy: tickmark doctor FILE --fix.'),
  ),
  'row.repeated': row(
    'warning',
    '{rows} byte for byte the row before, the first in {where}',
    source('Export the file again.'),
    command('Or leave the second rows out: tickmark doctor FILE --fix.'),
  ),
  'row.no_price': row(
    'warning',
    '{rows} without a price left out, the first in {where}',
    source('Do nothing if the market was closed there, or if they are trades among quotes; otherwise export the file again.'),
  ),
  'row.filled': row(
    'info',
    '{rows} of volume 0 that repeat the close before them left out, as if they were missing, the first in {where}',
    nothing('Nothing; some sources fill the time in which a market is closed.'),
  ),
  'row.no_stamp': row(
    'warning',
    '{rows} without a time left out, the first in {where}',
    source('Do nothing if they are few: no tick can be made of a row without a time.'),
  ),
  'row.header_again': row(
    'info',
    '{rows} that repeat the header left out, the first in {where}',
    nothing('Nothing; this is normal in concatenated files.'),
  ),
  'row.cut_off': row(
    'warning',
    'The last row, {where}, is cut off and was left out',
    source('Download the file again: more may be missing than this row.'),
  ),
  'row.nul_tail': row(
    'warning',
    'From {where} on the file is filled up with zero bytes, which were left out',
    source('Download the file again: ticks may be missing there.'),
  ),
  'row.other': row('info', '{rows} of another market or kind than those that are read, the first in {where}; left out'),
  'price.not_positive': row(
    'warning',
    '{rows} with a price of 0 or less left out, the first in {where}',
    source('Do nothing if there are few; otherwise check that the right column is read.'),
  ),
  'quote.crossed': row(
    'warning',
    '{rows} with a bid above the ask, the first in {where}',
    source('Do nothing if there are few; if it is every row, bid and ask are swapped.'),
    command('tickmark doctor FILE --fix leaves them out.'),
  ),
  'zone.several_offsets': row(
    'info',
    '{rows} with another offset from UTC than the first row, the first in {where}; each was read by its own',
    nothing('Nothing; this is normal for a zone with daylight saving time.'),
  ),
};

/** What the readers count, for the page that lists it. */
export const COUNTED_CODES: readonly string[] = Object.keys(COUNTED);

export function counted(seen: QualityMonitor, context: QualityContext): Finding[] {
  const { word, malformed, lateAdvice } = context;
  return [...seen.counts].flatMap(([code, { count, firstLine }]) => {
    const known = COUNTED[code];
    if (known === undefined) return [];
    const { severity, advice } = known;
    const text = known.text.replace('{rows}', plural(count, 'row is', 'rows are')).replace('{where}', `${word} ${firstLine}`);
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
