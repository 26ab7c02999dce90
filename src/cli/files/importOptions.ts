import { InvalidArgumentError, Option, type Command } from 'commander';
import type { ColumnMap, ImportOptions } from '../../import/ImportReport.ts';
import { nearestName } from '../../rules/nearestName.ts';

/** What the user knows about a file and the file does not say. */
export type FileFlags = { readonly zone?: string; readonly dateOrder?: 'dmy' | 'mdy' | 'ymd'; readonly columns?: ColumnMap };

export const COLUMN_ROLES = ['time', 'date', 'price', 'bid', 'ask', 'close'] as const satisfies readonly (keyof ColumnMap)[];

/** Adds `--zone`, `--date-order` and `--columns` to a command that reads files of any format. */
export function addFileOptions(command: Command): Command {
  return command
    .option('--zone <zone>', 'zone of stamps without one: UTC, +02:00, EST, America/New_York (default: of the format, else UTC)')
    .addOption(new Option('--date-order <order>', 'how 03/04/2024 or 11/10/26 is meant').choices(['dmy', 'mdy', 'ymd']))
    .option(
      '--columns <role=name,…>',
      `which column is what, by name or number: ${COLUMN_ROLES.join(', ')} (default: found)`,
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

/** `time=Datum,price=Last Price` to columns by role. A comma that stands before no role is part of a name. Throws commander's InvalidArgumentError. */
export function parseColumns(text: string): ColumnMap {
  const columns: { [role in (typeof COLUMN_ROLES)[number]]?: string } = {};
  for (const part of text.split(/,(?=[^,=]*=)/)) {
    const at = part.indexOf('=');
    const [role, name] = [part.slice(0, Math.max(at, 0)).trim(), part.slice(at + 1).trim()];
    if (at < 0 || name === '') throw new InvalidArgumentError('Write roles and columns: time=When,price=Last Price.');
    if (!isRole(role)) {
      const nearest = nearestName(role, [...COLUMN_ROLES]);
      throw new InvalidArgumentError(
        `${role} is no role${nearest === null ? '' : `; did you mean ${nearest}?`} The roles are ${COLUMN_ROLES.join(', ')}.`,
      );
    }
    if (columns[role] !== undefined) throw new InvalidArgumentError(`${role} is named twice.`);
    columns[role] = name;
  }
  if ((columns.bid === undefined) !== (columns.ask === undefined) && columns.price !== undefined)
    throw new InvalidArgumentError('Name bid and ask, or price alone.');
  if (columns.date !== undefined && columns.time === undefined)
    throw new InvalidArgumentError('A date alone is no stamp: name the column of the time of day too, date=Day,time=Clock.');
  return columns;
}

const isRole = (text: string): text is (typeof COLUMN_ROLES)[number] => (COLUMN_ROLES as readonly string[]).includes(text);
