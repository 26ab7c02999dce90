import { ServiceError } from '../../../core/ServiceError.ts';
import type { ImportOptions } from '../ImportReport.ts';
import type { Filter } from '../TableLayout.ts';
import type { Table } from './Table.ts';
import { titleOf } from './columnOptions.ts';
import { isEventName, isSymbolName } from './names.ts';
import { resolveColumns } from './resolveColumns.ts';

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

/** Columns that tell prices which are none of the market: agreed elsewhere, made by the exchange, unreported, or of a halted market. */
const OFF_MARKET =
  /^(?:is)?(?:block(?:trade)?(?:id)?|blockrfqid|combotradeid|internal(?:trade)?|otc|offmarket|offbook|pastlimit|unreported|outofsequence|suspended|(?:trading)?halted)$/;
/** And columns that tell those which are. */
const ON_MARKET = /^(?:is)?(?:tradeable|tradable)$/;
const NO = /^(?:|0(?:\.0)?|f|false|n|no|null|none|nan|nat)$/i;
const YES = /^(?:1(?:\.0)?|t|true|y|yes)$/i;

/** Reads only the rows that such a column calls prices of the market, where it has one value for them. `said`: columns that the user has named a value of. */
export function marketFlags(table: Table, said: readonly number[]): readonly Filter[] {
  return (table.names ?? []).flatMap((name, column): Filter[] => {
    const isOff = OFF_MARKET.test(name);
    if (said.includes(column) || !(isOff || ON_MARKET.test(name))) return [];
    const values = [...new Set(table.rows.map((row) => row[column] ?? ''))];
    const isFlag = name.endsWith('id') || values.every((value) => NO.test(value) || YES.test(value));
    const wanted = values.filter((value) => (isOff ? NO : YES).test(value));
    return isFlag && wanted.length === 1 ? [{ column, value: wanted[0], title: titleOf(table, column), option: 'event' }] : [];
  });
}
