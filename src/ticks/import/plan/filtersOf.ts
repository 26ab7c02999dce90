import { ServiceError } from '../../../core/ServiceError.ts';
import type { ImportOptions } from '../ImportReport.ts';
import type { Filter } from '../TableLayout.ts';
import { titleOf } from './columnOptions.ts';
import { isEventName, isSymbolName } from './names.ts';
import { resolveColumns } from './resolveColumns.ts';
import type { Table } from './Table.ts';

/** `--symbol` and `--event`, as VALUE or COLUMN=VALUE. */
export function filtersOf(table: Table, options: ImportOptions): readonly Filter[] {
  return (['symbol', 'event'] as const).flatMap((flag): Filter[] => {
    const wanted = options[flag];
    if (wanted === undefined) return [];
    const isNamed = flag === 'symbol' ? isSymbolName : isEventName;
    const holding = (value: string): number[] =>
      Array.from({ length: table.width }, (_, at) => at).filter((at) => table.rows.some((row) => row[at] === value));
    const byName = Array.from({ length: table.width }, (_, at) => at).filter((at) => isNamed(table.names?.[at] ?? ''));
    const at = [...holding(wanted).filter((column) => byName.includes(column)), ...holding(wanted), ...byName][0];
    const split = /^([^=]+)=(.*)$/.exec(wanted);
    if (split !== null && (at === undefined || !holding(wanted).includes(at))) {
      const { time } = resolveColumns({ time: split[1] }, table, options.name);
      return [{ column: time!, value: split[2], title: titleOf(table, time!), option: flag }];
    }
    if (at !== undefined) return [{ column: at, value: wanted, title: titleOf(table, at), option: flag }];
    throw new ServiceError('command.invalid', `--${flag} ${wanted}: no column of ${options.name} holds that value in its first rows.`, {
      remedy: `Name the column too: --${flag} COLUMN=${wanted}.`,
    });
  });
}
