/** Milliseconds on the time axis, from the first to the last one shown. */
export type TimeRange = readonly [from: number, to: number];

/** Fewer milliseconds are not shown: stamps have no finer ones. */
const MIN_SPAN_MS = 20;

/** The range of the same length within `whole` that is nearest; all of `whole` where it is longer. */
function within([from, to]: TimeRange, whole: TimeRange): TimeRange {
  const span = to - from;
  if (span >= whole[1] - whole[0]) return whole;
  const start = Math.min(Math.max(from, whole[0]), whole[1] - span);
  return [start, start + span];
}

/** Zooms so that the time `at` keeps its place on the screen. `factor` below 1 shows less time. */
export function zoomRange([from, to]: TimeRange, whole: TimeRange, at: number, factor: number): TimeRange {
  const span = Math.max(MIN_SPAN_MS, (to - from) * factor);
  const part = (at - from) / (to - from || 1);
  const start = at - part * span;
  return within([start, start + span], whole);
}

export function panRange([from, to]: TimeRange, whole: TimeRange, byMs: number): TimeRange {
  return within([from + byMs, to + byMs], whole);
}

/** The range moved as little as needed to show `at`, with a margin. */
export function revealTime(range: TimeRange, whole: TimeRange, at: number): TimeRange {
  const [from, to] = range;
  const margin = (to - from) * 0.1;
  if (at < from + margin) return panRange(range, whole, at - from - margin);
  if (at > to - margin) return panRange(range, whole, at - to + margin);
  return range;
}
