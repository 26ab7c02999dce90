import { US_PER_SECOND } from '../../../core/units.ts';
import { type SubUnit, US_OF } from '../DateReader.ts';
import { type Context, shown, type StampPlan } from './StampPlan.ts';
import { type Column, movementOf } from './columns.ts';
import { fractionUnit, isNoPriceName } from './names.ts';
import type { Columns } from './resolveColumns.ts';

const A_SECOND = { ms: 1e3, us: 1e6, ns: 1e9 } as const;
const MIN_PAIRS = 10;
/** Of the fractions of a second in a column of their own: how far up they go, of the limit, and how many differ. */
const MIN_HIGHEST = 0.6;
const MIN_DISTINCT = 0.7;
const MIN_RUNS = 0.95;

/** Adds a column with the fraction of the second: by its name, or as a second way where its values only look like it. */
export function withFraction(plan: StampPlan, columns: readonly Column[], named: Columns, context: Context): StampPlan[] {
  const isCoarse = plan.us.every((us) => us < 0 || us % US_PER_SECOND === 0);
  const taken = [plan.stampColumn, plan.timeColumn];
  const add = (column: Column, unit: SubUnit, evidence: string): StampPlan => {
    const values = column.numbers[0].values;
    const us = plan.us.map((each, i) => each + (Number.isNaN(values[i]) ? 0 : Math.floor(values[i] * US_OF[unit])));
    return { ...plan, us, fractionColumn: column.at, fractionUnit: unit, evidence: `${plan.evidence}, ${evidence}` };
  };
  if (named.ms !== undefined) {
    const column = columns[named.ms];
    if (column.numbers.length === 0) return [];
    const highest = Math.max(...column.numbers[0].values.filter((value) => !Number.isNaN(value)));
    const unit = fractionUnit(column.name) ?? (highest < 1e3 ? 'ms' : highest < 1e6 ? 'us' : 'ns');
    return [add(column, unit, 'the fraction of its seconds named by you')];
  }
  if (!isCoarse) return [plan];
  const fits = (column: Column, limit: number): boolean => !taken.includes(column.at) && isBelow(column, limit);
  const byName = columns.find((column) => !taken.includes(column.at) && isFraction(column));
  if (byName !== undefined) return [add(byName, fractionUnit(byName.name)!, 'with the fraction of the second')];
  if (named.time !== undefined) return [plan];
  const alike = (['ms', 'us', 'ns'] as const).flatMap((unit) =>
    columns
      .filter(
        (column) =>
          !isNoPriceName(column.name) &&
          fits(column, A_SECOND[unit]) &&
          (unit === 'ms' || !fits(column, A_SECOND[unit] / 1e3)) &&
          !column.isConstant &&
          risesWithin(column.numbers[0].values, plan.us, A_SECOND[unit]),
      )
      .map((column) => add(column, unit, `the fraction of the second in ${shown(column, context)}`)),
  );
  return [plan, ...alike];
}

/** Whether a column is the fraction of a second by its name and its values. */
export function isFraction(column: Column): boolean {
  const unit = fractionUnit(column.name);
  return unit !== undefined && isBelow(column, A_SECOND[unit]);
}

const isBelow = ({ numbers }: Column, limit: number): boolean =>
  numbers.length > 0 && numbers[0].values.every((value) => !(value < 0 || value >= limit || value % 1 !== 0));

/** Whether values below `limit` rise from row to row as long as the second is the same, and spread: they look like its fraction. */
function risesWithin(values: readonly number[], us: readonly number[], limit: number): boolean {
  let pairs = 0;
  let rises = 0;
  for (let i = 1; i < values.length; i++) {
    if (us[i] !== us[i - 1] || values[i] === values[i - 1]) continue;
    pairs++;
    if (values[i] > values[i - 1]) rises++;
  }
  // Rows of one moment hold one fraction.
  const told = values.filter((value, i) => i === 0 || value !== values[i - 1] || us[i] !== us[i - 1]);
  const { counts, span } = movementOf(values);
  const isOneWay = rises >= MIN_RUNS * pairs || rises <= (1 - MIN_RUNS) * pairs;
  // Of few ticks a second: values up to the limit, hardly any of them twice.
  const isSpread = Math.max(...values) >= MIN_HIGHEST * limit && new Set(told).size >= MIN_DISTINCT * Math.min(told.length, 300);
  return isOneWay && (pairs >= MIN_PAIRS || isSpread) && !counts && !(span < 2);
}
