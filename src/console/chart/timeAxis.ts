const S = 1000;
const MIN = 60 * S;
const H = 60 * MIN;
const D = 24 * H;

/** Steps between ticks of the time axis, in milliseconds: each divides the next unit of the clock, in UTC. */
export const TIME_STEPS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[S, 2 * S, 5 * S, 10 * S, 15 * S, 30 * S],
  ...[MIN, 2 * MIN, 5 * MIN, 10 * MIN, 15 * MIN, 30 * MIN],
  ...[H, 2 * H, 3 * H, 6 * H, 12 * H],
  ...[D, 2 * D, 7 * D, 14 * D, 30 * D, 90 * D, 365 * D],
];

/** The label of one place on the axis, as short as its neighbours allow: milliseconds in UTC and the step between labels. */
export function timeLabel(ms: number, stepMs: number): string {
  const text = new Date(ms).toISOString();
  if (stepMs < S) return text.slice(14, 23);
  if (stepMs < MIN) return text.slice(11, 19);
  if (stepMs < D) return ms % D === 0 ? text.slice(5, 10) : text.slice(11, 16);
  return text.slice(0, 10);
}
