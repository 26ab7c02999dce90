import type { DateOrderChoice, ImportOptions } from '../../ticks/import/ImportReport.ts';

const PART = /--([\w-]+) (?:'([^']*)'|(\S+))/g;
/** A comma that no role follows is part of a name. */
const COLUMN_ENDS = /,(?=[^,=]*=)/;

/** The options of a way to read a file, as the importer proposes it: `--columns time=When,price=Last --date-order dmy`. */
const partsOf = (way: string): (readonly [flag: string, value: string])[] =>
  [...way.matchAll(PART)].map(([, flag = '', quoted, plain = '']) => [flag, quoted ?? plain]);

const ORDERS: Readonly<Record<string, string>> = { dmy: 'day, month, year', mdy: 'month, day, year', ymd: 'year, month, day' };

/** The way in words, for a list to choose from. */
export function wayText(way: string): string {
  const words: Readonly<Record<string, (value: string) => string>> = {
    columns: (value) => value.split(COLUMN_ENDS).join(', ').replaceAll('=', ': '),
    symbol: (value) => `only ${value}`,
    event: (value) => `only rows ${value}`,
    'date-order': (value) => ORDERS[value] ?? value,
  };
  return partsOf(way)
    .map(([flag, value]) => words[flag]?.(value) ?? value)
    .join('; ');
}

export function wayOptions(way: string): Pick<ImportOptions, 'columns' | 'symbol' | 'event' | 'dateOrder'> {
  const options = Object.fromEntries(partsOf(way));
  const { columns, symbol, event, 'date-order': dateOrder } = options;
  return {
    ...(columns === undefined ? {} : { columns: Object.fromEntries(columns.split(COLUMN_ENDS).map((part) => part.split(/=(.*)/s, 2))) }),
    symbol,
    event,
    ...(dateOrder === undefined ? {} : { dateOrder: dateOrder as DateOrderChoice }),
  };
}
