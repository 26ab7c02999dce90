import { formatTimestamp } from '../../ticks/formatTimestamp.ts';
import type { Finding, ImportReport } from '../../import/ImportReport.ts';
import { unpainted, type Paint } from '../paint.ts';

const TONES = { error: 'bad', warning: 'warn', info: 'faint' } as const;
const MARKS = { error: 'fails', warning: 'warns', info: 'note' } as const;

/** `good`: nothing to do. `usable`: read the warnings. `unusable`: mend it first. */
export function verdictOf(notes: readonly Finding[]): 'good' | 'usable' | 'unusable' {
  if (notes.some(({ severity }) => severity === 'error')) return 'unusable';
  return notes.some(({ severity }) => severity === 'warning') ? 'usable' : 'good';
}

/** What a file is, in three lines. */
export function reportText(path: string, report: ImportReport): string {
  const packed = report.packing.length === 0 ? '' : `, packed with ${report.packing.join(' in ')}`;
  const count = (value: number): string => value.toLocaleString('en-US');
  const left = report.rows === report.ticks ? '' : ` of ${count(report.rows)} rows`;
  const kind = { quotes: 'quotes (price = mid of bid and ask)', trades: 'trades', bars: "bars (the close, at the bar's end)" }[report.kind];
  return `${path}: ${report.title}${packed}
  ${kind}, ${count(report.ticks)} ticks${left}
  ${formatTimestamp(report.firstUs)} to ${formatTimestamp(report.lastUs)} UTC
`;
}

/** One finding a line, what to do under it. */
export function findingsText(notes: readonly Finding[], paint: Paint = unpainted): string {
  return notes
    .map(
      ({ severity, code, text, fix }) =>
        `${paint(TONES[severity], MARKS[severity].padEnd(6))} ${code.padEnd(18)} ${text}${fix === '' ? '' : `\n${' '.repeat(26)}What to do: ${fix}`}\n`,
    )
    .join('');
}

export function reportJson(path: string, { packing, firstUs, lastUs, ...report }: ImportReport): object {
  return {
    file: path,
    ...report,
    packing,
    first: formatTimestamp(firstUs, 6),
    last: formatTimestamp(lastUs, 6),
    verdict: verdictOf(report.notes),
  };
}
