import type { TrainedSpan } from '../../src/engine/model/Lineage.ts';
import type { SeenTicks } from '../../src/engine/model/SeenTicks.ts';
import { SeenTicksWriter } from './SeenTicksWriter.ts';
import type { TickSource } from './TickSource.ts';

/** Content of the version's `seen.json`: a sample of the ticks of its sources within their spans, and of its parent's ticks. */
export function seenTicksText(
  sources: readonly Pick<TickSource, 'segments'>[],
  spans: readonly Pick<TrainedSpan, 'fromUs' | 'toUs'>[],
  parent?: SeenTicks,
): string {
  const writer = new SeenTicksWriter(parent);
  for (const [at, source] of sources.entries()) for (const { series } of source.segments()) writer.add(series, spans[at]!);
  return writer.text();
}
