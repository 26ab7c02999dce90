import type { TickSeries } from '../../src/ticks/TickSeries.ts';
import type { PlanBlock, RowPlan } from './RowPlan.ts';
import { thinToBars } from './thinToBars.ts';
import type { TickSource } from './TickSource.ts';

export type PlannedSeries = {
  readonly block: PlanBlock;
  /** The series that the positions of the block refer to: valid until the next block. */ readonly series: TickSeries;
};

/** The blocks of a plan in order, each with its ticks, thinned if the block requires it. Sources without a block are not read. */
export function* walkPlan(sources: readonly TickSource[], { blocks }: RowPlan): Generator<PlannedSeries> {
  for (const [at, source] of sources.entries()) {
    const ofSource = blocks.filter((block) => block.source === at);
    if (ofSource.length === 0) continue;
    let number = 0;
    for (const { series } of source.segments()) {
      for (const block of ofSource)
        if (block.segment === number) yield { block, series: block.barS === 0 ? series : thinToBars(series, block.barS) };
      number++;
    }
  }
}
