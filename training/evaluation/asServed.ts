import { groupBy } from '../../src/core/groupBy.ts';
import { US_PER_MS } from '../../src/core/units.ts';
import { memoryInputs } from '../../src/engine/memory/memoryInputs.ts';
import { memoryAnswer, type MemoryLine, rememberedOf } from '../../src/engine/memory/memoryLine.ts';
import { SeriesMemory } from '../../src/engine/memory/SeriesMemory.ts';
import { logOdds, sigmoid } from '../../src/engine/scoring/logOdds.ts';
import { seriesBaselines } from '../../src/engine/scoring/SeriesBaselines.ts';
import { isOpportunity, type RowSet } from '../data/RowSet.ts';
import type { TickSource } from '../data/TickSource.ts';
import { cellId, horizonOf, type Scores } from './Scores.ts';

/** The lines of both versions; undefined: it does not use the memory of a series. */
type MemoryLines = { readonly candidate: MemoryLine | undefined; readonly served: MemoryLine | undefined };

export type AsServedInput = {
  readonly rows: RowSet;
  readonly sources: readonly TickSource[];
  readonly alone: Scores;
  readonly lines: MemoryLines;
  /** Which of the probabilities each version marks; null: not known. */
  readonly marks: (p: Float64Array) => Uint8Array | null;
  readonly servedMarks?: (p: Float64Array) => Uint8Array;
};

/**
 * The scores of windows alone as they are served: with the memory of their series, which has seen every tick before the origin and the outcomes
 * of the earlier test windows of its horizon. The EWMA logistic has learned from the same outcomes, and the base rate so far is next to it.
 */
export function asServed({ rows, sources, alone, lines, marks, servedMarks }: AsServedInput): Scores {
  const candidate = Float64Array.from(alone.candidate);
  const served = alone.served === null ? null : Float64Array.from(alone.served);
  const cells = inTimeByCell(rows, alone.row);
  sources.forEach((source, instrument) => {
    const lanes = cells
      .filter((cell) => cell.instrument === instrument)
      .flatMap((cell) => [
        ...laneOf(rows, alone.row, cell, lines.candidate, alone.candidate, candidate),
        ...(served === null ? [] : laneOf(rows, alone.row, cell, lines.served, alone.served!, served)),
      ]);
    if (lanes.length === 0) return;
    for (const { series, from, to } of source.segments()) for (const lane of lanes) lane.read(series.timesUs, series.prices, from, to);
  });
  return {
    ...alone,
    candidate,
    served,
    ...baselinesOf(rows, alone, cells),
    marked: marks(candidate),
    servedMarked: served && (servedMarks?.(served) ?? null),
  };
}

type Cell = { readonly instrument: number; readonly horizonMs: number; readonly entries: readonly number[] };

/** The entries of each instrument and horizon, in order of time. Thinned ticks are no series that is served. */
function inTimeByCell(rows: RowSet, rowOf: Int32Array): readonly Cell[] {
  const ofTicks = Array.from(rowOf.keys()).filter((at) => rows.barS[rowOf[at]] === 0);
  const cells = groupBy(ofTicks, (at) => cellId(rows.instrument[rowOf[at]], horizonOf(rows, rowOf[at])));
  return [...cells.values()].map((entries) => {
    const first = rowOf[entries[0]];
    return {
      instrument: rows.instrument[first],
      horizonMs: Math.max(1, Math.round(1000 * rows.horizonS[first])),
      entries: entries.toSorted((a, b) => rows.originUs[rowOf[a]] - rows.originUs[rowOf[b]]),
    };
  });
}

/** Each memory knows the outcomes of one version. */
const VERSION = 1;

/** Each lane has a memory of its own. */
function laneOf(
  rows: RowSet,
  rowOf: Int32Array,
  { horizonMs, entries }: Cell,
  line: MemoryLine | undefined,
  p: Float64Array,
  out: Float64Array,
) {
  if (line === undefined) return [];
  const memory = new SeriesMemory();
  let next = 0;
  const answer = (at: number): void => {
    const row = rowOf[at];
    const theta = rows.thetaDefault[row];
    const base = logOdds(p[at]);
    if (!Number.isFinite(base)) return;
    const sigma = (Math.exp(rows.baseline[row * rows.draws]) * theta) / Math.sqrt(rows.horizonS[row]);
    const view = memory.view(horizonMs);
    const reading = memoryInputs(view, { theta, sigma, base, version: VERSION });
    const { part, own } = memoryAnswer(line, view.own, reading, base);
    memory.forecast({ horizonMs, ...rememberedOf({ theta, base, version: VERSION }, reading, own) });
    out[at] = sigmoid(base + part);
  };
  return [
    {
      /** The next ticks of the series, [from, to). */
      read(timesUs: Float64Array, prices: Float64Array, from: number, to: number): void {
        let last = -Infinity;
        for (let i = from; i < to; i++) {
          const ms = Math.floor(timesUs[i] / US_PER_MS);
          // An origin is the last tick of its millisecond.
          for (; next < entries.length && ms > originMs(rows, rowOf, entries[next]); next++)
            if (last === originMs(rows, rowOf, entries[next])) answer(entries[next]);
          memory.push(timesUs[i], prices[i]);
          last = ms;
        }
        for (; next < entries.length && last === originMs(rows, rowOf, entries[next]); next++) answer(entries[next]);
      },
    },
  ];
}

const originMs = (rows: RowSet, rowOf: Int32Array, at: number): number => Math.floor(rows.originUs[rowOf[at]] / US_PER_MS);

/** What needs no network, from the outcomes before each origin. */
function baselinesOf(rows: RowSet, { row: rowOf, ewma }: Scores, cells: readonly Cell[]): Pick<Scores, 'ewma' | 'baseRate'> {
  const recalibrated = Float64Array.from(ewma);
  const baseRate = new Float64Array(ewma.length).fill(NaN);
  for (const { entries, horizonMs } of cells) {
    const known = entries.filter((at) => Number.isFinite(ewma[at]));
    const found = seriesBaselines(
      known.map((at) => {
        const atMs = originMs(rows, rowOf, at);
        return { atMs, endMs: atMs + horizonMs, version: ewma[at], moved: isOpportunity(rows, rowOf[at]) === 1 };
      }),
    );
    known.forEach((at, i) => {
      recalibrated[at] = found[i].baseline;
      baseRate[at] = found[i].baseRate;
    });
  }
  return { ewma: recalibrated, baseRate };
}
