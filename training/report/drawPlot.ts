import { escapeHtml } from './escapeHtml.ts';
import { formatFigure } from './formatFigure.ts';

/** Colour, dashes and shape of the mark each identify a series. `className` sets the colour in CSS. */
export type SeriesStyle = { readonly className: string; readonly mark: 'circle' | 'diamond' | 'triangle' | 'square' };

/** `interval`: an error bar along the y axis. */
type Point = { readonly x: number; readonly y: number; readonly tooltip?: string; readonly interval?: Domain };

export type Series = {
  readonly name: string;
  readonly style: SeriesStyle;
  /** `thin`: a line without marks, for many noisy points. */
  readonly draw: 'line' | 'thin';
  readonly points: readonly Point[];
};

/** A dashed line: vertical at `x`, horizontal at `y`, or the diagonal without either. */
export type Reference = { readonly name: string; readonly x?: number; readonly y?: number };

type Axis = {
  readonly title: string;
  /** Default: the values and reference lines that are drawn; on the y axis, widened to whole ticks. */
  readonly domain?: Domain;
  /** Default: the number with the digits that its step needs. */
  readonly format?: (value: number, digits: number) => string;
  /** Approximate number of ticks. Default 5. */
  readonly ticks?: number;
};

export type Plot = {
  /** Unique on the page. */
  readonly id: string;
  /** Accessible name and description. */
  readonly title: string;
  readonly description: string;
  readonly width?: number;
  readonly height?: number;
  readonly x: Axis;
  readonly y: Axis;
  /** The first series is drawn on top. */
  readonly series: readonly Series[];
  readonly references?: readonly Reference[];
};

/** Least and greatest value shown on an axis, least < greatest, both finite. */
export type Domain = readonly [number, number];

/** Larger values are not drawn: their differences lose precision or overflow. */
const LARGEST_DRAWN = 1e12;
/** Most points of one line: more are not visible at this width and enlarge the file. */
const MOST_POINTS = 240;

export const isDrawable = (value: number): boolean => Math.abs(value) <= LARGEST_DRAWN;

/** The domain of the values that can be drawn, widened if it is empty; undefined without such values. */
export function domainOf(values: Iterable<number>): Domain | undefined {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (!isDrawable(value)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (low > high) return undefined;
  const least = 1e-6 * Math.max(Math.abs(low), Math.abs(high), 1);
  return high - low >= least ? [low, high] : [low - least, high + least];
}

/** Multiples of 1, 2 or 5 times a power of ten inside the domain, about `wanted` of them (Heckbert 1990). */
export function niceTicks([low, high]: Domain, wanted = 5): { values: number[]; step: number; digits: number } {
  const raw = (high - low) / Math.max(1, wanted);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= raw * 0.999) ?? 10);
  const digits = Math.min(12, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
  const first = Math.ceil(low / step - 1e-9);
  const count = Math.max(0, Math.floor(high / step + 1e-9) - first + 1);
  return { values: Array.from({ length: count }, (_, i) => Number(((first + i) * step).toFixed(digits))), step, digits };
}

/** The domain widened to whole ticks. */
export function niceDomain(domain: Domain, wanted = 5): Domain {
  const { step, digits } = niceTicks(domain, wanted);
  const whole = (value: number): number => Number((value * step).toFixed(digits));
  return [whole(Math.floor(domain[0] / step + 1e-9)), whole(Math.ceil(domain[1] / step - 1e-9))];
}

/** Maps a value to a position between `from` and `to`; values outside the domain are clamped. */
export function linearScale([low, high]: Domain, from: number, to: number): (value: number) => number {
  return (value) => from + ((Math.min(high, Math.max(low, value)) - low) / (high - low)) * (to - from);
}

/** The text in place of an empty chart. */
export function drawEmpty(sentence: string): string {
  return `<p class="empty">${escapeHtml(sentence)}</p>`;
}

/** Margins in pixels. */
const MARGIN = { left: 46, right: 24, top: 26, bottom: 42 } as const;

/** A chart as an SVG that scales with its column. Points that are not finite are dropped; without points, a text replaces the chart. */
export function drawPlot(plot: Plot): string {
  const { id, title, description, width = 400, height = 280, x, y, references = [] } = plot;
  const series = plot.series.map((one) => ({
    ...one,
    points: thinOut(one.points.filter((point) => isDrawable(point.x) && isDrawable(point.y))),
  }));
  const points = series.flatMap((one) => one.points);
  const [left, right, top, bottom] = [MARGIN.left, width - MARGIN.right, MARGIN.top, height - MARGIN.bottom];
  const xDomain = x.domain ?? domainOf([...points.map((point) => point.x), ...references.flatMap((line) => line.x ?? [])]);
  const yFound = domainOf([...points.map((point) => point.y), ...references.flatMap((line) => line.y ?? [])]);
  if (points.length === 0 || xDomain === undefined || yFound === undefined) return drawEmpty('Nothing to draw: no finite values.');
  const yDomain = y.domain ?? niceDomain(yFound, y.ticks);
  const [atX, atY] = [linearScale(xDomain, left, right), linearScale(yDomain, bottom, top)];

  const parts = [
    ...ticksOf(x, xDomain).map(({ value, label }) => {
      const at = place(atX(value));
      return `<path class="axis" d="M${at} ${bottom}v4"/><text class="middle" x="${at}" y="${bottom + 18}">${label}</text>`;
    }),
    `<text class="title end" x="${right}" y="${bottom + 35}">${escapeHtml(x.title)}</text>`,
    ...ticksOf(y, yDomain).map(({ value, label }) => {
      const at = place(atY(value));
      return `<path class="grid" d="M${left} ${at}H${right}"/><text class="end" x="${left - 7}" y="${place(atY(value) + 4)}">${label}</text>`;
    }),
    `<path class="axis" d="M${left} ${top}V${bottom}H${right}"/><text class="title" x="4" y="13">${escapeHtml(y.title)}</text>`,
  ];
  for (const line of references) {
    if (!isDrawable(line.x ?? line.y ?? 0)) continue;
    const [at, level] = [place(atX(line.x ?? 0)), place(atY(line.y ?? 0))];
    const diagonal = `M${left} ${bottom}L${right} ${top}`;
    const path = line.x !== undefined ? `M${at} ${top}V${bottom}` : line.y !== undefined ? `M${left} ${level}H${right}` : diagonal;
    parts.push(`<path class="reference" d="${path}"><title>${escapeHtml(line.name)}</title></path>`);
  }
  parts.push(...series.reverse().map((one) => drawSeries(one, atX, atY)));
  return `<svg class="chart" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="${id}-title ${id}-desc"><title id="${id}-title">${escapeHtml(title)}</title><desc id="${id}-desc">${escapeHtml(description)}</desc>${parts.join('')}</svg>`;
}

type Scale = (value: number) => number;

function ticksOf({ format = formatFigure, ticks }: Axis, domain: Domain): { value: number; label: string }[] {
  const { values, digits } = niceTicks(domain, ticks);
  return values.map((value) => ({ value, label: escapeHtml(format(value, digits)) }));
}

function drawSeries({ name, style, draw, points }: Series, atX: Scale, atY: Scale): string {
  const at = points.map((point) => `${place(atX(point.x))} ${place(atY(point.y))}`);
  const intervals = points.flatMap(({ x, interval: [low, high] = [NaN, NaN] }) =>
    isDrawable(low) && isDrawable(high)
      ? [`<path class="interval ${style.className}" d="M${place(atX(x))} ${place(atY(low))}V${place(atY(high))}"/>`]
      : [],
  );
  const line = points.length > 1 ? `<path class="${draw} ${style.className}" d="M${at.join('L')}"/>` : '';
  const marks = points.map((point) =>
    draw === 'thin' && points.length > 1 ? '' : drawMark(style, atX(point.x), atY(point.y), point.tooltip, points.length > 30 ? 2 : 4),
  );
  return `<g aria-label="${escapeHtml(name)}">${intervals.join('')}${line}${marks.join('')}</g>`;
}

/** Averages adjacent points if there are more than are visible. */
function thinOut(points: readonly Point[]): readonly Point[] {
  if (points.length <= MOST_POINTS) return points;
  return Array.from({ length: MOST_POINTS }, (_, run) => {
    const members = points.slice(Math.floor((run * points.length) / MOST_POINTS), Math.floor(((run + 1) * points.length) / MOST_POINTS));
    const mean = (read: (point: Point) => number): number => members.reduce((sum, point) => sum + read(point), 0) / members.length;
    return { x: mean(({ x }) => x), y: mean(({ y }) => y) };
  });
}

/** A mark with a diameter of about 2·`radius`, and its tooltip. */
function drawMark({ className, mark }: SeriesStyle, x: number, y: number, tooltip = '', radius = 4): string {
  const title = tooltip === '' ? '' : `<title>${escapeHtml(tooltip)}</title>`;
  if (mark === 'circle') return `<circle class="mark ${className}" cx="${place(x)}" cy="${place(y)}" r="${radius}">${title}</circle>`;
  const [far, half] = [radius * 1.3, radius * 0.9];
  const outline = {
    diamond: `M${place(x)} ${place(y - far)}l${place(far)} ${place(far)}l${place(-far)} ${place(far)}l${place(-far)} ${place(-far)}z`,
    square: `M${place(x - half)} ${place(y - half)}h${place(2 * half)}v${place(2 * half)}h${place(-2 * half)}z`,
    triangle: `M${place(x)} ${place(y - far)}l${place(far)} ${place(1.9 * far)}h${place(-2 * far)}z`,
  }[mark];
  return `<path class="mark ${className}" d="${outline}">${title}</path>`;
}

/** Series and reference lines with their names as HTML, so that the legend wraps on a narrow page. */
export function drawLegend(series: readonly Omit<Series, 'points'>[], references: readonly Pick<Reference, 'name'>[] = []): string {
  const item = (name: string, content: string): string =>
    `<li><svg viewBox="0 0 30 16" width="30" height="16" aria-hidden="true">${content}</svg> <span>${escapeHtml(name)}</span></li>`;
  const items = series.map(({ name, style, draw }) => {
    const line = `<path class="${draw} ${style.className}" d="M1 8H29"/>`;
    return item(name, `${line}${draw === 'thin' ? '' : drawMark(style, 15, 8)}`);
  });
  const lines = references.map(({ name }) => item(name, '<path class="reference" d="M1 8H29"/>'));
  return `<ul class="legend">${[...items, ...lines].join('')}</ul>`;
}

/** An SVG coordinate, rounded to a hundredth of a pixel. */
function place(coordinate: number): string {
  return String(Number(coordinate.toFixed(2)) || 0);
}
