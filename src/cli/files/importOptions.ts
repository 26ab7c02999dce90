import { Option, type Command } from 'commander';
import type { ImportOptions } from '../../import/ImportReport.ts';

/** What the user knows about a file and the file does not say. */
export type FileFlags = { readonly zone?: string; readonly dateOrder?: 'dmy' | 'mdy' | 'ymd' };

/** Adds `--zone` and `--date-order` to a command that reads files of any format. */
export function addFileOptions(command: Command): Command {
  return command
    .option('--zone <zone>', 'zone of stamps without one: UTC, +02:00, EST, America/New_York (default: of the format, else UTC)')
    .addOption(new Option('--date-order <order>', 'how 03/04/2024 or 11/10/26 is meant').choices(['dmy', 'mdy', 'ymd']));
}

export function fileOptions({ zone, dateOrder }: FileFlags): Pick<ImportOptions, 'zone' | 'dateOrder'> {
  return { ...(zone === undefined ? {} : { zone }), ...(dateOrder === undefined ? {} : { dateOrder }) };
}
