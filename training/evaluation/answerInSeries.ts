import { memoryInputs, type MemoryQuestion } from '../../src/engine/memory/memoryInputs.ts';
import { memoryAnswer, type MemoryLine, rememberedOf } from '../../src/engine/memory/memoryLine.ts';
import type { SeriesMemory } from '../../src/engine/memory/SeriesMemory.ts';
import { sigmoid } from '../../src/engine/scoring/logOdds.ts';

/** Each memory knows the outcomes of one version. */
const VERSION = 1;

/** The probability of a window alone, as it is served at the last tick of its series, whose memory remembers it. `base`: log-odds, finite. */
export function answerInSeries(
  memory: SeriesMemory,
  line: MemoryLine,
  { horizonMs, theta, sigma, base }: Omit<MemoryQuestion, 'version'> & { readonly horizonMs: number },
): number {
  const view = memory.view(horizonMs);
  const reading = memoryInputs(view, { theta, sigma, base, version: VERSION });
  const { part, own } = memoryAnswer(line, view.own, reading, base);
  memory.forecast({ horizonMs, ...rememberedOf({ theta, base, version: VERSION }, reading, own) });
  return sigmoid(base + part);
}
