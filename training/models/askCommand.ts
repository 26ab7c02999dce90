import { systemClock } from '../../src/core/Clock.ts';
import { MS_PER_SECOND, US_PER_SECOND } from '../../src/core/units.ts';
import type { RowSet } from '../data/RowSet.ts';
import type { TickSource } from '../data/TickSource.ts';
import type { Placebo } from '../evaluation/gate.ts';
import { chanceTest } from '../placebos/scoreRows.ts';
import type { ConstantWalk } from '../placebos/walks.ts';
import { labelsOf } from '../evaluation/Scores.ts';
import { askSeries, rowsInTime } from './askSeries.ts';
import { ModelFault, ModelProcess } from './ModelProcess.ts';

export type CommandInput = {
  readonly command: string;
  readonly sources: readonly Pick<TickSource, 'name' | 'segments'>[];
  readonly rows: RowSet;
  /** For one answer. */
  readonly answerMs: number;
  readonly onProgress: (text: string) => void;
};

export type Answers = { readonly p: Float64Array; readonly msPerWindow: number };

/** A process that imports its packages may take so much longer for its first answer. */
const START_MS = 120 * MS_PER_SECOND;
const PROGRESS_EVERY = 1000;

async function askOne(input: CommandInput, instrument: number, asked: readonly number[], p: Float64Array, shiftUs = 0): Promise<number> {
  const { command, sources, rows, answerMs, onProgress } = input;
  const model = new ModelProcess(command, { answerMs, startMs: START_MS }, systemClock);
  let answered = 0;
  let firstMs = 0;
  try {
    const onAnswer = (row: number, probability: number): void => {
      p[row] = probability;
      if (++answered === 1) firstMs = systemClock.monotonicMs();
      if (answered % PROGRESS_EVERY === 0) onProgress(`${command}: ${answered} of ${asked.length} windows of ${sources[instrument].name}`);
    };
    await askSeries(model, sources[instrument], rows, asked, { shiftUs, onAnswer });
    return systemClock.monotonicMs() - firstMs;
  } finally {
    await model.close();
  }
}

/** The answers to all rows: a process for each series, so that no series tells what another one will do. @throws ModelFault */
export async function askCommand(input: CommandInput): Promise<Answers> {
  const p = new Float64Array(input.rows.count).fill(NaN);
  let [ms, timed] = [0, 0];
  for (const instrument of input.sources.keys()) {
    const asked = rowsInTime(input.rows, instrument);
    if (asked.length === 0) continue;
    ms += await askOne(input, instrument, asked, p);
    timed += asked.length - 1;
  }
  return { p, msPerWindow: ms / timed };
}

/** Most windows that are asked again. */
const MOST_LEAK_WINDOWS = 1000;
const SAME = 1e-9;
/** Times of another year have other roundings. */
const SAME_IN_ANOTHER_YEAR = 1e-4;
/** The same hours of the same days of the week. */
const SHIFT_US = 52 * 7 * 86_400 * US_PER_SECOND;

/**
 * Asks again for the first half of the longest series, to a new process. Once nothing comes after: with the later ticks deleted, every answer must be
 * the same. Once all timestamps are 52 weeks later: what a model finds in a file under the time of a window is no longer there.
 */
export async function leakChecks(input: CommandInput, { p }: Answers): Promise<Placebo[]> {
  const series = [...input.sources.keys()].map((instrument) => ({ instrument, asked: rowsInTime(input.rows, instrument) }));
  const { instrument, asked } = series.reduce((longest, one) => (one.asked.length > longest.asked.length ? one : longest));
  const again = asked.slice(0, Math.min(MOST_LEAK_WINDOWS, Math.ceil(asked.length / 2)));
  const check = async (name: string, what: string, shiftUs: number, allowed: number): Promise<Placebo> => {
    const other = new Float64Array(input.rows.count);
    try {
      await askOne(input, instrument, again, other, shiftUs);
    } catch (error) {
      if (error instanceof ModelFault) return { name, holds: false, text: `${what}, it ${error.message}` };
      throw error;
    }
    const changed = again.filter((row) => !(Math.abs(other[row] - p[row]) <= allowed));
    const text = `${what}, ${changed.length} of ${again.length} answers change`;
    return { name, holds: changed.length === 0, text };
  };
  return [
    await check('Later ticks deleted', 'with the later ticks deleted', 0, SAME),
    await check('Another year', 'with the same ticks 52 weeks later', SHIFT_US, SAME_IN_ANOTHER_YEAR),
  ];
}

/** A random walk at a constant threshold: nothing is predictable. */
export async function walkCheck(input: CommandInput, { name, source, rows }: ConstantWalk): Promise<Placebo> {
  const { p } = await askCommand({ ...input, sources: [source], rows });
  return walkPlacebo(name, p, rows);
}

export function walkPlacebo(name: string, p: Float64Array, rows: RowSet): Placebo {
  const labels = labelsOf(rows, Array.from(p.keys()));
  const { auc, allowed, n } = chanceTest(p, labels);
  // A model that always says the same has an AUC of 0.5.
  return {
    name,
    holds: Math.abs(auc - 0.5) <= allowed,
    text: `AUC ${auc.toFixed(3)} on ${n} windows of a ${name.toLowerCase()}; chance is 0.500 ± ${allowed.toFixed(3)}`,
  };
}
