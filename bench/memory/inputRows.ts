import { readTickFile } from '../../src/ticks/import/streamTickFile.ts';
import { lastAtOrBefore } from '../../src/ticks/searchTimes.ts';
import type { TickSeries } from '../../src/ticks/TickSeries.ts';
import { memoryInputs, MEMORY_INPUTS } from '../../src/engine/memory/memoryInputs.ts';
import { outcomeWeight } from '../../src/engine/memory/memoryLine.ts';
import { SeriesMemory } from '../../src/engine/memory/SeriesMemory.ts';
import { sigmoid } from '../../training/metrics/logistic.ts';
import type { ScoredRows } from './ScoredRows.ts';

/** What the memory of the series says at each row; an input that is not used is 0. */
export type InputRows = {
  /** One column for each of MEMORY_INPUTS. */
  readonly inputs: readonly Float32Array[];
  /** Weight of slope and intercept. */
  readonly weight: Float32Array;
  /** Due forecasts of this horizon. */
  readonly outcomes: Float32Array;
};

const VERSION = 1;
const MAX_MS = 1000;

/**
 * Passes through the ticks of each series in time order, as a live series does: inputs are read at each origin from the ticks up to it, and
 * the forecast at draw 0 is remembered.
 */
export async function inputRows(rows: ScoredRows): Promise<InputRows> {
  const count = rows.of.length;
  const made = {
    inputs: MEMORY_INPUTS.map(() => new Float32Array(count)),
    weight: new Float32Array(count),
    outcomes: new Float32Array(count),
  };
  for (const [at, { files }] of rows.series.entries()) {
    const order = [...rows.of.keys()]
      .filter((row) => rows.of[row] === at)
      .sort((a, b) => rows.originUs[a]! - rows.originUs[b]! || rows.horizonS[a]! - rows.horizonS[b]! || rows.draw[b]! - rows.draw[a]!);
    const memory = new SeriesMemory();
    let next = 0;
    for (const file of files) {
      const { series } = await readTickFile(file);
      let fed = 0;
      // An origin in ms stands for the last tick of its millisecond.
      for (; next < order.length; next++) {
        const row = order[next]!;
        const end = lastAtOrBefore(series.timesUs, lastUsOf(rows.originUs[row]!)) + 1;
        if (isAfter(series, rows.originUs[row]!)) break;
        if (end > fed) memory.add(series, fed, end);
        fed = Math.max(fed, end);
        readRow(memory, rows, row, made);
      }
      memory.add(series, fed);
    }
  }
  return made;
}

const lastUsOf = (originUs: number): number => Math.floor(originUs / 1000) * 1000 + MAX_MS - 1;
const isAfter = ({ timesUs }: TickSeries, originUs: number): boolean => originUs > lastUsOf(timesUs[timesUs.length - 1]!);

function readRow(memory: SeriesMemory, rows: ScoredRows, row: number, made: InputRows): void {
  const [horizonMs, theta] = [rows.horizonS[row]! * 1000, rows.theta[row]!];
  const view = memory.view(horizonMs);
  if (view.originMs !== Math.floor(rows.originUs[row]! / 1000)) throw new Error(`the memory is at ${view.originMs} ms`);
  const reading = memoryInputs(view, { theta, sigma: rows.sigma[row]!, base: rows.base[row]!, version: VERSION });
  MEMORY_INPUTS.forEach((name, column) => {
    const input = reading.inputs[name];
    made.inputs[column]![row] = 'value' in input ? input.value : 0;
  });
  made.weight[row] = outcomeWeight(reading.compared);
  made.outcomes[row] = reading.outcomes;
  // Draw 0 is the last one of an origin.
  if (rows.draw[row] !== 0) return;
  memory.forecast({ horizonMs, theta, probability: sigmoid(rows.base[row]!), version: VERSION, ...reading.levels });
}
