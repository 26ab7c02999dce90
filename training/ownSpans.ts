import type { TrainedSpan } from '../src/model/Lineage.ts';
import type { RunPlan } from './planRun.ts';
import type { TrainOptions } from './TrainOptions.ts';

/** Spans of the ticks that this run trained on. */
export function ownSpans({ id, fromUs, untilUs }: TrainOptions, { sources, cutsUs }: RunPlan): TrainedSpan[] {
  return sources.map(({ name, group, file, firstUs, lastUs, days }, at) => {
    const end = Math.min(lastUs, untilUs, cutsUs?.[at] ?? Infinity);
    const start = Math.max(firstUs, fromUs);
    return {
      name,
      group,
      fileSha256: file.sha256,
      by: id,
      fromUs: start,
      toUs: end,
      days: days.filter((day) => day.fromUs <= end && day.toUs >= start).map(({ day, sha256 }) => ({ day, sha256 })),
    };
  });
}
