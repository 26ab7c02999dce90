import type { Column } from './Column.ts';
import { CONTEXT_TABLE, SEQUENCE_TABLE } from './columnTable.ts';
import { SEQUENCE_COLUMNS, SEQUENCE_STEPS, type WindowMeasures } from './WindowMeasures.ts';

export type ContextName = (typeof CONTEXT_TABLE)[number]['name'];

const nameOf = (column: Column): string => column.name;

export const SEQUENCE_COLUMN_NAMES: readonly string[] = SEQUENCE_TABLE.map(nameOf);
export const CONTEXT_COLUMN_NAMES: readonly string[] = CONTEXT_TABLE.map(nameOf);
export const CONTEXT_COLUMNS = CONTEXT_TABLE.length;
/** Position of each context column. */
export const CONTEXT_AT = Object.fromEntries(CONTEXT_TABLE.map((column, i) => [column.name, i])) as Readonly<Record<ContextName, number>>;

const SWAPPED = SEQUENCE_TABLE.flatMap((column, i) => (column.mirror === 'swap' ? [i] : [])) as [number, number];

/**
 * Changes a row in place to the features of the prices 1/p, by the table's `mirror` per column. `swap` exchanges the two
 * excursions and their signs. Bit-exact except for `one_minus`, which rounds once.
 */
export function mirrorRow(sequence: Float32Array, sequenceOffset: number, context: Float32Array, contextOffset: number): void {
  for (let step = 0, at = sequenceOffset; step < SEQUENCE_STEPS; step++, at += SEQUENCE_COLUMNS) {
    mirrorColumns(SEQUENCE_TABLE, sequence, at);
    const high = sequence[at + SWAPPED[0]]!;
    sequence[at + SWAPPED[0]] = -sequence[at + SWAPPED[1]]!;
    sequence[at + SWAPPED[1]] = -high;
  }
  mirrorColumns(CONTEXT_TABLE, context, contextOffset);
}

function mirrorColumns(table: readonly Column[], values: Float32Array, offset: number): void {
  for (let i = 0; i < table.length; i++) {
    const { mirror } = table[i]!;
    if (mirror === 'negate') values[offset + i] = -values[offset + i]!;
    else if (mirror === 'one_minus') values[offset + i] = 1 - values[offset + i]!;
  }
}

/** ln(sigma(600) sqrt(H) / theta): the only feature of the EWMA baseline, unclipped. */
export function baselineInput(measures: WindowMeasures, theta: number): number {
  return Math.log(measures.sigmaHorizon / theta);
}

/** No gap up to half an hour, or up to 50 median gaps, ends a session. */
const MIN_SESSION_GAP_S = 1800;
const SESSION_GAP_IN_MEDIANS = 50;

/** A gap longer than this many seconds ends a session. `medianGapS`: over distinct timestamps. */
export function sessionGapS(medianGapS: number): number {
  return Math.max(MIN_SESSION_GAP_S, SESSION_GAP_IN_MEDIANS * medianGapS);
}
