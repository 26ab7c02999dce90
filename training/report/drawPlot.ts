import { escapeHtml } from './escapeHtml.ts';
import { formatFigure } from './formatFigure.ts';
import { shortenName } from './shortenName.ts';

/** Colour, dashes and shape of the mark each identify a series. `className` sets the colour in CSS. */
export type SeriesStyle = { readonly className: string; readonly mark: 'circle' | 'diamond' | 'triangle' | 'square' };

/** `y` on an axis with categories is the index of the row. `interval`: an error bar along the value axis. */
type Point = { readonly x: number; readonly y: number; readonly tooltip?: string; readonly interval?: Domain };

export type Series = {
  readonly name: string;
  readonly style: SeriesStyle;
  /** `thin`: a line without marks, for many noisy points. `bars` need a y axis with categories. */
  readonly draw: 'line' | 'thin' | 'marks' | 'bars';
  readonly points: readonly Point[];
};

/** A dashed line: vertical at `x`, horizontal at `y`, or the diagonal without either. `label` is drawn above a vertical line. */
export type Reference = { readonly name: string; readonly x?: number; readonly y?: number; readonly label?: string };

type Axis = {
  readonly title: string;
  /** Default: the values and reference lines that are drawn; on the y axis, widened to whole ticks. */
  readonly domain?: Domain;
  /** Default: the number with the digits that its step needs. */
  readonly format?: (value: number, digits: number) => string;
  /** Approximate number of ticks. Default 5. */
  readonly ticks?: number;
};

/** One row per category, from the top. */
type Categories = {
  /** Where the names of the rows are: above them if they may be long. */
  readonly names: keyof typeof ROWS;
  readonly rows: readonly { readonly name: string; readonly note: string; readonly isStrong?: boolean }[];
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
  readonly y: Axis | Categories;
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
const NUMERIC = { left: 46, right: 24, top: 26, bottom: 42 } as const;
/** The same for rows, which are `height` pixels high and drawn at `middle` of it, with names of at most `columns` columns. */
const ROWS = {
  above: { left: 14, right: 62, top: 24, bottom: 40, height: 38, middle: 0.66, columns: 48 },
  left: { left: 192, right: 44, top: 24, bottom: 40, height: 21, middle: 0.5, columns: 25 },
} as const;

/** A chart as an SVG that scales with its column. Points that are not finite are dropped; without points, a text replaces the chart. */
export function drawPlot(plot: Plot): string {
  const { id, title, description, width = 400, x, y, references = [] } = plot;
  const series = plot.series.map((one) => {
    const points = one.points.filter((point) => isDrawable(point.x) && isDrawable(point.y));
    return { ...one, points: one.draw === 'line' || one.draw === 'thin' ? thinOut(points) : points };
  });
  const points = series.flatMap((one) => one.points);
  const isRows = 'rows' in y;
  const margin = isRows ? ROWS[y.names] : NUMERIC;
  const height = isRows ? margin.top + y.rows.length * ROWS[y.names].height + margin.bottom : (plot.height ?? 280);
  const [left, right, top, bottom] = [margin.left, width - margin.right, margin.top, height - margin.bottom];
  const xDomain = x.domain ?? domainOf([...points.map((point) => point.x), ...references.flatMap((line) => line.x ?? [])]);
  const yFound = domainOf([...points.map((point) => point.y), ...references.flatMap((line) => line.y ?? [])]);
  if (points.length === 0 || xDomain === undefined || yFound === undefined) return drawEmpty('Nothing to draw: no finite values.');
  const atX = linearScale(xDomain, left, right);
  const yDomain = isRows ? yFound : (y.domain ?? niceDomain(yFound, y.ticks));
  const atY: Scale = isRows ? (row) => top + (row + ROWS[y.names].middle) * ROWS[y.names].height : linearScale(yDomain, bottom, top);

  const parts = ticksOf(x, xDomain).map(({ value, label }) => {
    const at = place(atX(value));
    const line = isRows ? `<path class="grid" d="M${at} ${top}V${bottom + 4}"/>` : `<path class="axis" d="M${at} ${bottom}v4"/>`;
    return `${line}<text class="middle" x="${at}" y="${bottom + 18}">${label}</text>`;
  });
  const xTitle = isRows ? `class="title middle" x="${(left + right) / 2}"` : `class="title end" x="${right}"`;
  parts.push(`<text ${xTitle} y="${bottom + 35}">${escapeHtml(x.title)}</text>`);
  if (!isRows) {
    for (const { value, label } of ticksOf(y, yDomain))
      parts.push(
        `<path class="grid" d="M${left} ${place(atY(value))}H${right}"/><text class="end" x="${left - 7}" y="${place(atY(value) + 4)}">${label}</text>`,
      );
    parts.push(`<path class="axis" d="M${left} ${top}V${bottom}H${right}"/><text class="title" x="4" y="13">${escapeHtml(y.title)}</text>`);
  }
  for (const line of references) {
    if (!isDrawable(line.x ?? line.y ?? 0)) continue;
    const [at, level] = [place(atX(line.x ?? 0)), place(atY(line.y ?? 0))];
    const diagonal = `M${left} ${bottom}L${right} ${top}`;
    const path = line.x !== undefined ? `M${at} ${top}V${bottom}` : line.y !== undefined ? `M${left} ${level}H${right}` : diagonal;
    const label = line.label === undefined ? '' : `<text class="middle" x="${at}" y="${top - 6}">${escapeHtml(line.label)}</text>`;
    parts.push(`<path class="reference" d="${path}"><title>${escapeHtml(line.name)}</title></path>${label}`);
  }
  if (isRows)
    for (const [row, { name, note, isStrong = false }] of y.rows.entries()) {
      const at =
        y.names === 'above' ? `class="title" x="2" y="${place(atY(row) - 13)}"` : `class="end" x="${left - 8}" y="${place(atY(row) + 4)}"`;
      const shown = shortenName(name, ROWS[y.names].columns);
      parts.push(
        `<text ${at}><title>${escapeHtml(name)}</title>${escapeHtml(shown)}</text>`,
        `<text class="${isStrong ? 'strong ' : ''}end" x="${width - 2}" y="${place(atY(row) + 4)}">${escapeHtml(note)}</text>`,
      );
    }
  parts.push(...series.reverse().map((one) => drawSeries(one, atX, atY, isRows)));
  return `<svg class="chart" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="${id}-title ${id}-desc"><title id="${id}-title">${escapeHtml(title)}</title><desc id="${id}-desc">${escapeHtml(description)}</desc>${parts.join('')}</svg>`;
}

type Scale = (value: number) => number;

function ticksOf({ format = formatFigure, ticks }: Axis, domain: Domain): { value: number; label: string }[] {
  const { values, digits } = niceTicks(domain, ticks);
  return values.map((value) => ({ value, label: escapeHtml(format(value, digits)) }));
}

function drawSeries({ name, style, draw, points }: Series, atX: Scale, atY: Scale, isRows: boolean): string {
  const at = points.map((point) => `${place(atX(point.x))} ${place(atY(point.y))}`);
  const intervals = points.flatMap(({ x, y, interval: [low, high] = [NaN, NaN] }) => {
    if (!isDrawable(low) || !isDrawable(high)) return [];
    const path = isRows
      ? `M${place(atX(low))} ${place(atY(y))}H${place(atX(high))}`
      : `M${place(atX(x))} ${place(atY(low))}V${place(atY(high))}`;
    return `<path class="interval ${style.className}" d="${path}"/>`;
  });
  const hasLine = (draw === 'line' || draw === 'thin') && points.length > 1;
  const line = hasLine ? `<path class="${draw} ${style.className}" d="M${at.join('L')}"/>` : '';
  const marks = points.map((point) => {
    if (draw === 'thin' && hasLine) return '';
    if (draw !== 'bars') return drawMark(style, atX(point.x), atY(point.y), point.tooltip, points.length > 30 ? 2 : 4);
    const bar = `M${place(atX(0))} ${place(atY(point.y) - 7.5)}H${place(Math.max(atX(point.x), atX(0) + 1))}v15H${place(atX(0))}z`;
    return `<path class="bar ${style.className}" d="${bar}"><title>${escapeHtml(point.tooltip ?? '')}</title></path>`;
  });
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
    const line = draw === 'line' || draw === 'thin' ? `<path class="${draw} ${style.className}" d="M1 8H29"/>` : '';
    return item(name, `${line}${draw === 'thin' ? '' : drawMark(style, 15, 8)}`);
  });
  const lines = references.map(({ name }) => item(name, '<path class="reference" d="M1 8H29"/>'));
  return `<ul class="legend">${[...items, ...lines].join('')}</ul>`;
}

/** An SVG coordinate, rounded to a hundredth of a pixel. */
function place(coordinate: number): string {
  return String(Number(coordinate.toFixed(2)) || 0);
}
