import { ServiceError } from '../../../core/ServiceError.ts';
import { isAmbiguousDate } from '../ImportReport.ts';
import type { RowNames } from '../TickRows.ts';
import type { Table } from './Table.ts';

/** A table that knows how its rows are counted for people. */
export type Counted = Table & { readonly rowNames: RowNames };

/** A fault of a table whose columns are known. */
export class PlanFault extends ServiceError {
  readonly isSure = true;
  /** Each way on, as it is typed. */
  commands: readonly string[] = [];
}

export const isSure = (fault: unknown): boolean =>
  fault instanceof ServiceError && ('isSure' in fault || fault.code === 'command.invalid' || 'orders' in fault);

/** Where a line of the text is, as people count: nothing for 0, or for the header that a table from JSON or Parquet gets. */
export function placeOf({ rowNames: { word, offset } }: Pick<Counted, 'rowNames'>, line: number): string {
  return line > 0 && line + offset > 0 ? `${word} ${line + offset}` : '';
}

export function planFault(name: string, place: string, found: string, remedy: string): PlanFault {
  return new PlanFault('file.malformed', `${name}${place === '' ? '' : `, ${place}`}: ${found}.`, { remedy });
}

/** What a refusal proposes. */
export function waysOn(fault: unknown): readonly string[] {
  if (isAmbiguousDate(fault)) return fault.orders.map((order) => `--date-order ${order}`);
  return fault instanceof ServiceError && 'commands' in fault ? (fault as PlanFault).commands : [];
}
