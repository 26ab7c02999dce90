import type { TimestampForm } from '../DateReader.ts';
import type { Filter } from '../TableLayout.ts';
import { titleOf } from './columnOptions.ts';
import type { Group } from './findGroups.ts';
import type { PricePlan } from './PricePlan.ts';
import type { StampPlan } from './StampPlan.ts';
import type { Table } from './Table.ts';

export const ORDER_WORDS = { dmy: 'day/month/year', mdy: 'month/day/year', ymd: 'year/month/day', packed: '' } as const;
export const UNIT_WORDS = {
  ...{ s: 'epoch seconds', ms: 'milliseconds', us: 'microseconds', ns: 'nanoseconds' },
  ...{ dotnet: '.NET ticks', filetime: 'Windows file times', kdb: 'nanoseconds since 2000' },
  excel: 'day numbers of a spreadsheet that begins in 1900 (in one that begins in 1904 the ticks are 1462 days later)',
} as const;

/** price_e8, price_cents, "Price (pence)", px_x100: whole numbers of a part of the price. */
const isScaledTitle = (title: string): boolean =>
  /(?:[_\s]|price|px|bid|ask)(?:e-?\d{1,2}|x?10{1,9}|cents?|pence|pips|micros|nanos|scaled|fixed|int)$|[([](?:cents?|pence|e-?\d{1,2}|x ?10+|x\d+)[)\]]\s*$/i.test(
    title.trim(),
  );

/** The plan of a file in a few lines, for people. */
export function planText(
  table: Table,
  { stampColumn, timeColumn, fractionColumn, evidence }: StampPlan,
  form: TimestampForm,
  price: PricePlan,
  filters: readonly Filter[],
  groups: readonly Group[],
  used: readonly number[],
): readonly string[] {
  const title = (at: number): string => titleOf(table, at);
  const parts = [stampColumn, timeColumn, fractionColumn].filter((at) => at >= 0).map(title);
  const unit =
    form.kind === 'epoch'
      ? `, ${UNIT_WORDS[form.unit]}`
      : form.kind === 'calendar' && form.order !== 'packed'
        ? `, ${ORDER_WORDS[form.order]}`
        : '';
  const unused = Array.from({ length: table.width }, (_, at) => at).filter((at) => !used.includes(at));
  const shownUnused = unused.slice(0, 12).map(title).join(', ') + (unused.length > 12 ? ', …' : '');
  return [
    `time: ${parts.join(' + ')}${unit} (${evidence})`,
    price.askColumn >= 0
      ? `${price.kind === 'bars' ? 'close of ' : ''}bid: ${title(price.firstColumn)}, ask: ${title(price.askColumn)} (${price.evidence})`
      : `${price.kind === 'bars' ? 'close' : 'price'}: ${title(price.firstColumn)} (${price.evidence})`,
    ...(price.range.length === 0 ? [] : [`open, high, low: ${price.range.map(title).join(', ')}`]),
    ...(price.divisor === 1 && [price.firstColumn, price.askColumn].some((at) => isScaledTitle(table.titles?.[at] ?? ''))
      ? ['prices stand in the unit of the file: by the name they are multiples of the price (moves in bps are the same)']
      : []),
    ...(price.divisor === 1 ? [] : [`prices are whole numbers of 1/${price.divisor}`]),
    ...filters.map(({ title: column, value }) => `only rows with ${column} = ${JSON.stringify(value)}`),
    ...groups.map(
      ({ column, values, option: flag }) => `${flag}: ${title(column)} is ${JSON.stringify(values[0] ?? '')} in all rows with a price`,
    ),
    ...(unused.length === 0 ? [] : [`unused: ${shownUnused}`]),
  ];
}
