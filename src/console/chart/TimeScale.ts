import { formatSpan } from '../ticks/timeText.ts';

/** Of the width, at every zoom: what a forecast is about lies there. */
const FUTURE_FRACTION = 0.25;

/**
 * The time axis in two parts: ticks up to the last one, which are zoomed and moved, and the time that the forecast is about, which always
 * has the same width. Times in milliseconds, places in pixels.
 */
export class TimeScale {
  readonly #past: TimeRange;
  readonly #future: TimeRange;
  readonly left: number;
  /** Where the future begins. */
  readonly boundary: number;
  readonly right: number;

  /** `past`: what is shown, ending at or before the beginning of `future`. */
  constructor(past: TimeRange, future: TimeRange, { left, width }: { readonly left: number; readonly width: number }) {
    this.#past = past;
    this.#future = future;
    this.left = left;
    this.right = left + width;
    this.boundary = Math.round(this.right - width * FUTURE_FRACTION);
  }

  /** Whether the ticks reach up to the last one: else a stretch between both parts is not shown. */
  get isJoined(): boolean {
    return this.#past[1] >= this.#future[0];
  }

  get msPerPx(): number {
    return (this.#past[1] - this.#past[0]) / (this.boundary - this.left);
  }

  xOf(ms: number): number {
    const [from, to] = this.#future;
    return ms > from
      ? this.boundary + ((ms - from) / (to - from)) * (this.right - this.boundary)
      : this.left + (ms - this.#past[0]) / this.msPerPx;
  }

  msAt(x: number): number {
    const [from, to] = this.#future;
    return x > this.boundary
      ? from + ((x - this.boundary) / (this.right - this.boundary)) * (to - from)
      : this.#past[0] + (x - this.left) * this.msPerPx;
  }

  /** Labels of the axis, at least `spacePx` apart: clock times of the ticks, and half of the future as a length. */
  labels(spacePx: number): { readonly x: number; readonly text: string }[] {
    const [from, to] = this.#past;
    const step = TIME_STEPS.find((one) => one >= this.msPerPx * spacePx) ?? TIME_STEPS.at(-1)!;
    const labels = [];
    for (let ms = Math.ceil(from / step) * step; ms <= to; ms += step) labels.push({ x: this.xOf(ms), text: timeLabel(ms, step) });
    const half = (this.#future[1] - this.#future[0]) / 2;
    if ((this.right - this.boundary) / 2 >= spacePx) labels.push({ x: this.xOf(this.#future[0] + half), text: `+${formatSpan(half)}` });
    return labels;
  }
}

const S = 1000;
const MIN = 60 * S;
const H = 60 * MIN;
const D = 24 * H;

/** Steps between labels of the time axis, in milliseconds: each divides the next unit of the clock, in UTC. */
export const TIME_STEPS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[S, 2 * S, 5 * S, 10 * S, 15 * S, 30 * S],
  ...[MIN, 2 * MIN, 5 * MIN, 10 * MIN, 15 * MIN, 30 * MIN],
  ...[H, 2 * H, 3 * H, 6 * H, 12 * H],
  ...[D, 2 * D, 7 * D, 14 * D, 30 * D, 90 * D, 365 * D],
];

/** The label of one place on the axis, as short as its neighbours allow: milliseconds in UTC and the step between labels. */
function timeLabel(ms: number, stepMs: number): string {
  const text = new Date(ms).toISOString();
  if (stepMs < S) return text.slice(14, 23);
  if (stepMs < MIN) return text.slice(11, 19);
  if (stepMs < D) return ms % D === 0 ? text.slice(5, 10) : text.slice(11, 16);
  return text.slice(0, 10);
}

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
