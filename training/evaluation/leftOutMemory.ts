import { FeatureBuilder } from '../../src/engine/features/FeatureBuilder.ts';
import { labelOrigin } from '../../src/engine/features/labelOrigin.ts';
import { sessionGapS } from '../../src/engine/features/sessionGap.ts';
import { logOdds } from '../../src/engine/scoring/logOdds.ts';
import type { MemoryLine } from '../../src/engine/memory/memoryLine.ts';
import { SeriesMemory } from '../../src/engine/memory/SeriesMemory.ts';
import type { TickSeries } from '../../src/ticks/TickSeries.ts';
import type { BarAnswer } from '../bars/evaluateBars.ts';
import { answerInSeries } from './answerInSeries.ts';
import type { cellsOutOfFold } from './outOfFold.ts';

const DAY_MS = 86_400_000;

/**
 * Predictions of a base for a group that it never saw, alone and with the memory of their series, in time order. `ticks`: of the window whose
 * volatility the memory compares with its own.
 */
export function leftOutMemory(
  series: TickSeries,
  { horizonS, originUs, probability, theta }: ReturnType<typeof cellsOutOfFold>[number],
  line: MemoryLine,
  ticks: number,
): BarAnswer[] {
  const builder = new FeatureBuilder();
  const memory = new SeriesMemory();
  const horizonMs = 1000 * horizonS;
  const answers: BarAnswer[] = [];
  let known = 0;
  for (const at of [...originUs.keys()].sort((a, b) => originUs[a] - originUs[b])) {
    const from = known;
    while (known < series.timesUs.length && series.timesUs[known] < originUs[at] + 1000) known++;
    memory.add(series, from, known);
    const measures = builder.read(series, Math.max(0, known - ticks), known, originUs[at] + 1000 * horizonMs);
    if (typeof measures === 'string') continue;
    const label = labelOrigin(series, known - 1, horizonS, sessionGapS(measures.medianGapS));
    if (label.status === 'dropped') continue;
    const base = logOdds(probability[at]);
    const history = answerInSeries(memory, line, { horizonMs, theta: theta[at], sigma: measures.sigmas[2], base });
    const endMs = originUs[at] / 1000;
    answers.push({
      ...{ periodMs: 0, horizonMs, endMs, days: Math.floor((endMs - series.timesUs[0] / 1000) / DAY_MS), baseline: NaN, isWithin: null },
      ...{ window: probability[at], history, y: Math.abs(label.move) > theta[at] ? 1 : 0 },
    });
  }
  return answers;
}
