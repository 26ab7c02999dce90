import { readFileSync, statSync } from 'node:fs';
import { reading } from '../../src/core/fileErrors.ts';
import { MS_PER_SECOND, US_PER_MS } from '../../src/core/units.ts';
import { isOpportunity, type RowSet } from '../data/RowSet.ts';
import { writeFileAtomic } from '../data/TickStore.ts';
import { thresholdBps } from './askSeries.ts';
import { ModelFault } from './ModelProcess.ts';

const ORIGINS_HEAD = 'series,timestamp,horizon_s,threshold_bps,set,moved';
const PREDICTIONS_HEAD = 'series,timestamp,horizon_s,threshold_bps,probability';
const MOST_BYTES = 256 * 1024 * 1024;
/** Thresholds that are written with fewer digits. */
const SAME_THRESHOLD = 1e-6;

const placeOf = (series: string, originMs: number, horizonS: number): string =>
  `${series},${originMs},${Math.round(horizonS * MS_PER_SECOND)}`;
const placeOfRow = (rows: RowSet, names: readonly string[], row: number): string =>
  placeOf(names[rows.instrument[row]], rows.originUs[row] / US_PER_MS, rows.horizonS[row]);

/** Which rows a model may learn from, and which are tested. */
export type OriginSets = { readonly train: Int32Array; readonly test: Int32Array };

/** Writes the origins for a model that is fitted elsewhere; the outcomes of the tested ones are not in it. Throws ServiceError `file.unwritable`. */
export function writeOrigins(file: string, rows: RowSet, names: readonly string[], { train, test }: OriginSets): void {
  const line = (row: number, rest: string): string =>
    `${names[rows.instrument[row]]},${new Date(rows.originUs[row] / US_PER_MS).toISOString()},${Number(rows.horizonS[row].toFixed(3))},${thresholdBps(rows, row)},${rest}\n`;
  const of = (set: Int32Array, rest: (row: number) => string): string[] => Array.from(set, (row) => line(row, rest(row)));
  writeFileAtomic(file, [`${ORIGINS_HEAD}\n`, ...of(train, (row) => `train,${isOpportunity(rows, row)}`), ...of(test, () => 'test,')]);
}

/**
 * The probabilities of a file in CSV for the rows of `test`; lines of other origins are ignored.
 *
 * @throws ServiceError `file.unreadable`
 * @throws ModelFault if the file has another form, a wrong value, or no probability for a tested origin
 */
export function readPredictions(file: string, rows: RowSet, names: readonly string[], test: Int32Array): Float64Array {
  const p = new Float64Array(rows.count).fill(NaN);
  const rowAt = new Map(Array.from(test, (row) => [placeOfRow(rows, names, row), row]));
  const [head, ...lines] = reading(file, () => linesOf(file));
  if (head.trim() !== PREDICTIONS_HEAD) throw new ModelFault(`has the header ${head.slice(0, 80)}, not ${PREDICTIONS_HEAD}`);
  for (const [at, text] of lines.entries()) {
    if (text.trim() === '') continue;
    const refuse = (why: string): never => {
      throw new ModelFault(`line ${at + 2}: ${why}`);
    };
    const cells = text.trim().split(',');
    if (cells.length < 5) refuse(`it has ${cells.length} values, not ${PREDICTIONS_HEAD}`);
    // The name of a series may contain commas.
    const [timestamp, horizon, threshold, probability] = cells.slice(-4);
    const row = rowAt.get(placeOf(cells.slice(0, -4).join(','), Date.parse(timestamp), Number(horizon)));
    if (row === undefined) continue;
    const wanted = thresholdBps(rows, row);
    if (!(Math.abs(Number(threshold) - wanted) <= SAME_THRESHOLD * wanted))
      refuse(`its threshold is ${threshold}, that of the origin ${wanted}`);
    const value = probability === '' ? NaN : Number(probability);
    if (!(value >= 0 && value <= 1)) refuse(`its probability is ${probability || 'empty'}, not a number from 0 to 1`);
    if (!Number.isNaN(p[row])) refuse('its origin has a probability already');
    p[row] = value;
  }
  const missing = test.filter((row) => Number.isNaN(p[row]));
  if (missing.length > 0)
    throw new ModelFault(
      `has no probability for ${missing.length} of ${test.length} tested origins; the first is ${firstText(rows, names, missing[0])}`,
    );
  return p;
}

const firstText = (rows: RowSet, names: readonly string[], row: number): string =>
  `${names[rows.instrument[row]]} at ${new Date(rows.originUs[row] / US_PER_MS).toISOString()}, ${rows.horizonS[row]} s`;

function linesOf(file: string): string[] {
  const { size } = statSync(file);
  if (size > MOST_BYTES) throw new Error(`it has ${size} bytes, at most ${MOST_BYTES} are allowed`);
  return readFileSync(file, 'utf8').split(/\r?\n/);
}
