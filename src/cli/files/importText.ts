import { plural } from '../../core/plural.ts';
import { formatTimestamp } from '../../ticks/formatTimestamp.ts';
import type { Finding, ImportReport } from '../../import/ImportReport.ts';
import { unpainted, type Paint } from '../paint.ts';

const TONES = { error: 'bad', warning: 'warn', info: 'faint' } as const;
const MARKS = { error: 'fails', warning: 'warns', info: 'note' } as const;

/** `good`: nothing to do. `usable`: read the warnings. `unusable`: fix it first. */
export function resultOf(notes: readonly Finding[]): 'good' | 'usable' | 'unusable' {
  if (notes.some(({ severity }) => severity === 'error')) return 'unusable';
  return notes.some(({ severity }) => severity === 'warning') ? 'usable' : 'good';
}

/** Describes a file in three lines. */
export function reportText(path: string, report: ImportReport): string {
  const packed = report.packing.length === 0 ? '' : `, packed with ${report.packing.join(' in ')}`;
  const left = report.rows === report.ticks ? '' : ` of ${plural(report.rows, 'row')}`;
  const kind = { quotes: 'quotes (price = mid of bid and ask)', trades: 'trades', bars: "bars (the close, at the bar's end)" }[report.kind];
  return `${path}: ${report.title}${packed}
  ${kind}, ${plural(report.ticks, 'tick')}${left}
  ${formatTimestamp(report.firstUs)} to ${formatTimestamp(report.lastUs)} UTC
`;
}

/** One line per finding, followed by its remedy. */
export function findingsText(notes: readonly Finding[], paint: Paint = unpainted): string {
  return notes
    .map(
      ({ severity, code, text, advice }) =>
        `${paint(TONES[severity], MARKS[severity].padEnd(6))} ${code.padEnd(18)} ${text}${advice.length === 0 ? '' : `\n${' '.repeat(26)}What to do: ${fixOf(advice)}`}\n`,
    )
    .join('');
}

const fixOf = (advice: Finding['advice']): string => advice.map(({ text }) => text).join(' ');

export function reportJson(path: string, { packing, firstUs, lastUs, notes, ...report }: ImportReport): object {
  return {
    file: path,
    ...report,
    packing,
    first: formatTimestamp(firstUs, 6),
    last: formatTimestamp(lastUs, 6),
    verdict: resultOf(notes),
    notes: notes.map(({ advice, ...note }) => ({ ...note, fix: fixOf(advice), advice: advice.map(({ code }) => code) })),
  };
}
