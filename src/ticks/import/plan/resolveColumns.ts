import { ServiceError, quoteValue } from '../../../core/ServiceError.ts';
import { plural } from '../../../core/plural.ts';
import type { ColumnMap } from '../ImportReport.ts';
import { columnName } from './names.ts';

/** Columns that a message names, and the longest list of them. */
const MAX_TOLD = 30;
const MAX_TOLD_CHARS = 600;

/** Columns from 0 of the roles that the user named. */
export type Columns = { readonly [role in Exclude<keyof ColumnMap, 'clock' | 'decimal'>]?: number };

/**
 * Finds the columns that the user named: by their titles as they stand in the header, else by `columnName`, else by their numbers from 1.
 * Throws ServiceError `command.invalid` for one that is not there.
 */
export function resolveColumns(
  named: ColumnMap | undefined,
  { titles, rows }: { readonly titles: readonly string[] | undefined; readonly rows: readonly (readonly string[])[] },
  file: string,
): Columns {
  const width = rows[0]?.length ?? 0;
  const find = (wanted: string): number => {
    const exact = titles?.indexOf(wanted) ?? -1;
    if (exact >= 0) return exact;
    const name = columnName(wanted);
    const alike = name === '' ? -1 : (titles?.findIndex((title) => columnName(title) === name) ?? -1);
    if (alike >= 0) return alike;
    return /^[1-9]\d{0,2}$/.test(wanted) && Number(wanted) <= width ? Number(wanted) - 1 : -1;
  };
  const { clock: _form, decimal: _sign, ...columns } = named ?? {};
  return Object.fromEntries(
    Object.entries(columns).map(([role, wanted]) => {
      const column = find(wanted);
      if (column >= 0) return [role, column];
      const known =
        titles === undefined
          ? `it has no header and ${plural(width, 'column')}: write a number from 1 to ${width}`
          : `its columns are ${titles.slice(0, MAX_TOLD).join(', ').slice(0, MAX_TOLD_CHARS)}`;
      throw new ServiceError('command.invalid', `--columns ${role}=${wanted}: ${file} has no column ${quoteValue(wanted)}; ${known}.`);
    }),
  );
}
