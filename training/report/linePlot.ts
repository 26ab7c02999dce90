import { type Axis, CHART_HEIGHT, CHART_WIDTH, drawAxes, makeFrame, niceDomain } from './axes.ts';
import { drawEmpty, drawSvg, type SvgFrame } from './drawSvg.ts';
import { escapeHtml } from './escapeHtml.ts';
import { drawMark, type SeriesStyle } from './marks.ts';
import { domainOf, isDrawable, place } from './scale.ts';

export type LinePoint = { readonly x: number; readonly y: number; readonly tooltip?: string };

export type LineSeries = {
  readonly style: SeriesStyle;
  readonly points: readonly LinePoint[];
  /** A thin line without marks, for many noisy points. */
  readonly isThin?: boolean;
};

export type LinePlot = SvgFrame & {
  readonly x: Omit<Axis, 'domain'>;
  readonly y: Omit<Axis, 'domain'>;
  readonly series: readonly LineSeries[];
  /** A reference level, dashed across the plot. */
  readonly level?: { readonly y: number; readonly name: string };
  /** A highlighted x value, dashed from top to bottom. */
  readonly at?: { readonly x: number; readonly name: string };
};

/** Most points of one line: more are not visible at this width and enlarge the file. */
const MOST_POINTS = 240;

/** Lines in one frame. Points that are not finite are dropped; without points, a text replaces the chart. */
export function linePlot(plot: LinePlot): string {
  const { width = CHART_WIDTH, height = CHART_HEIGHT, level, at } = plot;
  const series = plot.series.map((one) => ({ ...one, points: thinOut(one.points.filter(({ x, y }) => isDrawable(x) && isDrawable(y))) }));
  const points = series.flatMap((one) => one.points);
  const xDomain = domainOf(points.map(({ x }) => x));
  const yDomain = domainOf([...points.map(({ y }) => y), ...(level === undefined ? [] : [level.y])]);
  if (points.length === 0 || xDomain === undefined || yDomain === undefined) return drawEmpty('Nothing to draw: no finite values.');
  const x = { ...plot.x, domain: xDomain };
  const y = { ...plot.y, domain: niceDomain(yDomain, plot.y.ticks) };
  const frame = makeFrame(x.domain, y.domain, width, height);
  const parts = [drawAxes(frame, x, y)];
  if (at !== undefined && at.x >= xDomain[0] && at.x <= xDomain[1])
    parts.push(
      `<path class="reference" d="M${place(frame.x(at.x))} ${frame.top}V${place(frame.bottom)}"><title>${escapeHtml(at.name)}</title></path>`,
    );
  if (level !== undefined && isDrawable(level.y))
    parts.push(
      `<path class="reference" d="M${frame.left} ${place(frame.y(level.y))}H${place(frame.right)}"><title>${escapeHtml(level.name)}</title></path>`,
    );
  for (const { style, points, isThin = false } of series) {
    const path = points.map((point, i) => `${i === 0 ? 'M' : 'L'}${place(frame.x(point.x))} ${place(frame.y(point.y))}`).join('');
    if (points.length > 1) parts.push(`<path class="${isThin ? 'thin' : 'line'} ${style.className}" d="${path}"/>`);
    const isMarked = !isThin || points.length === 1;
    const radius = points.length > 30 ? 2 : 3.5;
    if (isMarked) parts.push(...points.map((point) => drawMark(style, frame.x(point.x), frame.y(point.y), point.tooltip, radius)));
  }
  return drawSvg(plot, parts.join(''));
}

/** Averages adjacent points if there are more than are visible. */
function thinOut(points: readonly LinePoint[]): LinePoint[] {
  if (points.length <= MOST_POINTS) return [...points];
  return Array.from({ length: MOST_POINTS }, (_, run) => {
    const members = points.slice(Math.floor((run * points.length) / MOST_POINTS), Math.floor(((run + 1) * points.length) / MOST_POINTS));
    const mean = (read: (point: LinePoint) => number): number => members.reduce((sum, point) => sum + read(point), 0) / members.length;
    return { x: mean(({ x }) => x), y: mean(({ y }) => y) };
  });
}
