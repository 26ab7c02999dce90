import { InvalidArgumentError, Option, type Command } from 'commander';
import type { ColumnMap, ImportOptions } from '../../import/ImportReport.ts';
import { nearestName } from '../../rules/nearestName.ts';

/** What the file itself does not state. */
export type FileFlags = { readonly zone?: string; readonly dateOrder?: 'dmy' | 'mdy' | 'ymd'; readonly columns?: ColumnMap };

export const COLUMN_ROLES = ['time', 'date', 'price', 'bid', 'ask', 'close'] as const satisfies readonly (keyof ColumnMap)[];

/** Adds `--zone`, `--date-order` and `--columns` to a command that reads files of any format. */
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
    );
}

export function fileOptions({ zone, dateOrder, columns }: FileFlags): Pick<ImportOptions, 'zone' | 'dateOrder' | 'columns'> {
  return {
    ...(zone === undefined ? {} : { zone }),
    ...(dateOrder === undefined ? {} : { dateOrder }),
    ...(columns === undefined ? {} : { columns }),
  };
}

/** `time=Datum,price=Last Price` to columns by role. A comma that no role follows is part of a name. Throws commander's InvalidArgumentError. */
export function parseColumns(text: string): ColumnMap {
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
  return columns;
}

const isRole = (text: string): text is (typeof COLUMN_ROLES)[number] => (COLUMN_ROLES as readonly string[]).includes(text);
