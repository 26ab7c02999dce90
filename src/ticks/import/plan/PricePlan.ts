import type { ImportKind } from '../ImportReport.ts';
import { type Column, type Movement, movementOf, movesLikePrices } from './columns.ts';
import { type NumberForm, type NumberReading, POINT_FORM, readNumbers } from './numbers.ts';

/** Two columns are bid and ask if they never differ by more than this fraction of the price. */
const MAX_SPREAD = 0.02;
/** Prices of one market, and the last, close, bid and ask of it, are of one order of magnitude. */
export const MAX_RATIO = 2;
/** Checks of how a column moves need so many rows. */
export const MIN_ROWS = 30;
/** Of a cheap market one step of the price may be more: enough to doubt that a column stands alone. */
export const MAX_DOUBTED_SPREAD = 0.1;
export const FIXED_POINT = 1e9;

/** One way to read the price of each row, with what speaks for it. */
export type PricePlan = {
  readonly kind: ImportKind;
  readonly firstColumn: number;
  readonly askColumn: number;
  /** Of bars with all of them: the columns of open, high and low; else empty. */
  readonly range: readonly number[];
  readonly form: NumberForm;
  readonly divisor: number;
  readonly evidence: string;
};

export type PricePlans = {
  readonly plans: readonly PricePlan[];
  /** Why there is not exactly one. */
  readonly doubt: string;
};

export type Seen = { readonly column: Column; readonly values: readonly number[]; readonly movement: Movement };

export const trades = (firstColumn: number, evidence: string): PricePlan => ({
  ...{ kind: 'trades', firstColumn, askColumn: -1, range: [], form: POINT_FORM, divisor: 1, evidence },
});

export const quotes = (firstColumn: number, askColumn: number, evidence: string): PricePlan => ({
  ...trades(firstColumn, evidence),
  kind: 'quotes',
  askColumn,
});

/** `range`: the columns of open, high and low; all of them count or none. */
export const bars = (close: number, evidence: string, range: readonly number[] = [], askColumn = -1): PricePlan => ({
  ...{ ...trades(close, evidence), kind: 'bars', askColumn },
  range: range.every((column) => column >= 0) ? range : [],
});
export const ONLY_ONE = 'the only column that moves like prices';

/** The prices as numbers, in the form of the plan. */
export function pricesOf(
  { firstColumn, askColumn, divisor, form }: PricePlan,
  columns: readonly Column[],
): { first: readonly number[]; ask: readonly number[] } {
  const values = (at: number): readonly number[] => {
    const { numbers } = columns[at];
    const reading = numbers.find((each) => each.form.point === form.point && each.form.thousands === form.thousands) ?? numbers[0];
    return (reading?.values ?? []).map((value) => value / divisor);
  };
  return { first: values(firstColumn), ask: askColumn < 0 ? [] : values(askColumn) };
}

const readingsOf = ({ firstColumn, askColumn }: PricePlan, columns: readonly Column[]): readonly NumberReading[] =>
  readNumbers(
    [firstColumn, askColumn].flatMap((at) => (at < 0 ? [] : columns[at].texts)),
    columns[0].sign,
  );

/** Whether 148,123 of a plan is a number with decimals or with thousands. */
export const isDoubtfulForm = (plan: PricePlan, columns: readonly Column[]): boolean => readingsOf(plan, columns).length > 1;

/** The plan with the form of its numbers, one for both sides, and the doubt where there are several. */
export function formed(plan: PricePlan, columns: readonly Column[]): PricePlans {
  const readings = readingsOf(plan, columns);
  if (readings.length > 1) return { plans: [plan], doubt: doubtfulNumbers(plan, columns) };
  // Numbers that the sample does not show to be such are named by the reader, with their line.
  return { plans: [{ ...plan, form: readings[0]?.form ?? commonForm(columns[plan.firstColumn].texts) }], doubt: '' };
}

/** The form of most values: those that have another one are refused with their line. */
function commonForm(texts: readonly string[]): NumberForm {
  const commas = texts.filter((text) => /^[-+]?\d+,\d+$/.test(text)).length;
  return commas > texts.length / 2 ? { point: 44, thousands: '' } : POINT_FORM;
}

function doubtfulNumbers(plan: PricePlan, columns: readonly Column[]): string {
  const { texts } = columns[plan.firstColumn];
  const shown = texts.find((text) => /[.,]/.test(text)) ?? texts[0];
  return `the numbers ${JSON.stringify(shown)} have decimals or thousands behind their ${shown?.includes(',') === true ? 'comma' : 'point'}, and no row shows which`;
}

/** Databento and Nautilus write whole billionths. */
export function isFixedPoint(values: readonly number[], names: readonly string[] | undefined): boolean {
  if (names?.some((name) => name === 'tsevent' || name === 'tsinit') !== true) return false;
  const { isWhole, median } = movementOf(values.map((value) => (value > 0 ? value : NaN)));
  return isWhole && median >= 1e6 && values.every((value) => Number.isNaN(value) || value % 1000 === 0);
}

export const likely = (seen: readonly Seen[]): readonly Seen[] => seen.filter(({ movement }) => movesLikePrices(movement));
export const canBePrice = ({ positive, counts, isConstant }: Movement): boolean => positive >= 0.9 && !counts && !isConstant;

export const areClose = (a: readonly number[], b: readonly number[], limit = MAX_SPREAD): boolean =>
  a.every((value, i) => value > 0 && Math.abs(value - b[i]) <= limit * value) && a.some((value, i) => value !== b[i]);
