import { InvalidArgumentError, Option, type Command } from 'commander';
import { BAR_TIMES } from '../../core/barTime.ts';
import { systemClock } from '../../core/Clock.ts';
import { plural } from '../../core/plural.ts';
import type { ColumnMap, Finding, ImportOptions, ImportReport, ImportSink } from '../../ticks/import/ImportReport.ts';
import { fileChunks } from '../../ticks/import/bytes/fileChunks.ts';
import { NODE_DECODERS } from '../../ticks/import/bytes/nodeDecoders.ts';
import { importTicks } from '../../ticks/import/importTicks.ts';
import { CLOCK_NAMES } from '../../ticks/import/plan/clockForms.ts';
import { leftOutNote, readTickFile, type TickFile, type TickFileOptions } from '../../ticks/import/streamTickFile.ts';
import { nearestName } from '../../core/nearestName.ts';
import { formatTimestamp } from '../../ticks/timestamps.ts';
import { ProgressLine, unpainted, type Paint } from '../CliContext.ts';

/** When progress first shows, and how often it is updated. */
const FIRST_MS = 1000;
const EVERY_MS = 200;

/** Imports one file to a sink; shows progress on standard error if it takes longer than 1 s. Throws what `importTicks` throws. */
export async function importFile(
  path: string,
  sink: ImportSink,
  options: Omit<ImportOptions, 'name' | 'onProgress'>,
  err: (text: string) => void,
): Promise<ImportReport> {
  const { chunks, size, name } = await fileChunks(path);
  const line = new ProgressLine(err, process.stderr.isTTY === true, systemClock.nowMs);
  let nextMs = systemClock.nowMs() + FIRST_MS;
  const onProgress = (bytes: number): void => {
    const nowMs = systemClock.nowMs();
    if (nowMs < nextMs) return;
    nextMs = nowMs + EVERY_MS;
    const progress = size === 0 ? `${Math.round(bytes / 1e6)} MB` : `${Math.round((100 * bytes) / size)} % of ${Math.round(size / 1e6)} MB`;
    line.show(`${name}: ${progress} read`, true);
  };
  try {
    return await importTicks(chunks, sink, { ...options, name, onProgress, ...NODE_DECODERS });
  } finally {
    line.end();
  }
}

/** What the file itself does not state. */
export type FileFlags = TickFileOptions;

const COLUMN_ROLES = [
  'time',
  'date',
  'clock',
  'decimal',
  'ms',
  'price',
  'bid',
  'ask',
  'open',
  'high',
  'low',
  'close',
] as const satisfies readonly (keyof ColumnMap)[];

/** Adds `--zone`, `--date-order`, `--columns`, `--symbol`, `--event` and `--bar-time` to a command that reads files of any format. */
export function addFileOptions(command: Command): Command {
  return command
    .option(
      '--zone <zone>',
      'time zone of timestamps without one: UTC, +02:00, EST, America/New_York (default: that of the format, else UTC)',
    )
    .addOption(
      new Option('--date-order <order>', 'order of day, month and year in dates such as 03/04/2024').choices(['dmy', 'mdy', 'ymd']),
    )
    .option(
      '--columns <role=name,…>',
      `columns by role, each a name or number; roles: ${COLUMN_ROLES.join(', ')} (default: detected)`,
      parseColumns,
    )
    .option('--symbol <value>', 'of a table with several markets, the one to read, as VALUE or COLUMN=VALUE')
    .option('--event <value>', 'of a table with several kinds of rows, the one to read, as VALUE or COLUMN=VALUE')
    .addOption(
      new Option('--bar-time <time>', 'of bars: whether a timestamp is the beginning (open) or the end (close) of its bar').choices(
        BAR_TIMES,
      ),
    );
}

export function fileOptions({ zone, dateOrder, columns, symbol, event, barTime }: FileFlags): TickFileOptions {
  return {
    zone,
    dateOrder,
    columns,
    symbol,
    event,
    barTime,
  };
}

/** Warnings that change what a forecast is worth. */
const TOLD: readonly string[] = [
  'bars.time_doubtful',
  'bars.uneven',
  'bars.swapped',
  'price.spike',
  'price.two_levels',
  'stamp.year',
  'row.cut_off',
  'zone.hour_doubled',
  'zone.hour_missing',
];

/** Reads the ticks of a file, and says on standard error how many of its rows were left out. Throws what `readTickFile` throws. */
/** `keptSpreads`: of so many last quotes, if not of the usual number. */
export async function readTicks(path: string, flags: FileFlags, err: (text: string) => void, keptSpreads?: number): Promise<TickFile> {
  const file = await readTickFile(path, { ...fileOptions(flags), keptSpreads });
  // Rows of another market were left out because they were not asked for.
  const others = file.report.notes.find(({ code }) => code === 'row.other')?.count ?? 0;
  const note = leftOutNote(file.path, file.report.rows - file.rows - others);
  if (note !== undefined) err(`${note}\n`);
  for (const { code, severity, text } of file.report.notes)
    if (severity === 'warning' && TOLD.includes(code)) err(`${file.path}: ${text}\n`);
  return file;
}

/** `time=Datum,price=Last Price` to columns by role. A comma that no role follows is part of a name. Throws commander's InvalidArgumentError. */
function parseColumns(text: string): ColumnMap {
  const columns: { [role in (typeof COLUMN_ROLES)[number]]?: string } = {};
  for (const part of text.split(/,(?=[^,=]*=)/)) {
    const at = part.indexOf('=');
    const [role, name] = [part.slice(0, Math.max(at, 0)).trim(), part.slice(at + 1).trim()];
    if (at < 0 || name === '') throw new InvalidArgumentError('Write roles and columns: time=When,price=Last Price.');
    if (!isRole(role)) {
      const nearest = nearestName(role, [...COLUMN_ROLES]);
      throw new InvalidArgumentError(
        `${role} is not a role${nearest === null ? '' : `; did you mean ${nearest}?`} The roles are ${COLUMN_ROLES.join(', ')}.`,
      );
    }
    if (columns[role] !== undefined) throw new InvalidArgumentError(`${role} is named twice.`);
    columns[role] = name;
  }
  if ((columns.bid === undefined) !== (columns.ask === undefined) && columns.price !== undefined)
    throw new InvalidArgumentError('Name bid and ask, or price alone.');
  if (columns.date !== undefined && columns.time === undefined)
    throw new InvalidArgumentError('A date column needs a time column: date=Day,time=Clock.');
  if (columns.clock !== undefined && (columns.date === undefined || !CLOCK_NAMES.includes(columns.clock)))
    throw new InvalidArgumentError(
      `clock says how the digits of a time next to a date are written: date=Day,time=Clock,clock=FORM, one of ${CLOCK_NAMES.join(', ')}.`,
    );
  if (columns.decimal !== undefined && !['comma', 'point'].includes(columns.decimal))
    throw new InvalidArgumentError('decimal is the sign before decimals: decimal=comma or decimal=point.');
  return columns;
}

const isRole = (text: string): text is (typeof COLUMN_ROLES)[number] => (COLUMN_ROLES as readonly string[]).includes(text);

const TONES = { error: 'bad', warning: 'warn', info: 'faint' } as const;
const MARKS = { error: 'fails', warning: 'warns', info: 'note' } as const;

/** `good`: nothing to do. `usable`: read the warnings. `unusable`: fix it first. */
export function resultOf(notes: readonly Finding[]): 'good' | 'usable' | 'unusable' {
  if (notes.some(({ severity }) => severity === 'error')) return 'unusable';
  return notes.some(({ severity }) => severity === 'warning') ? 'usable' : 'good';
}

/** Describes a file: what it is, the plan by which it was read, and its first and last tick as they were read. */
export function reportText(path: string, report: ImportReport): string {
  const packed = report.packing.length === 0 ? '' : `, packed with ${report.packing.join(' in ')}`;
  const left = report.rows === report.ticks ? '' : ` of ${plural(report.rows, 'row')}`;
  const kind = { quotes: 'quotes (price = mid of bid and ask)', trades: 'trades', bars: "bars (the close, at the bar's end)" }[report.kind];
  const [unit, price] = report.kind === 'bars' ? ['bar', 'close'] : ['tick', 'tick'];
  return `${path}: ${report.title}${packed}
  ${kind}, ${plural(report.ticks, unit)}${left}
${report.plan.map((line) => `  ${line}\n`).join('')}  ${formatTimestamp(report.firstUs)} to ${formatTimestamp(report.lastUs)} UTC, the first ${price} at ${report.firstPrice}, the last at ${report.lastPrice}
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
