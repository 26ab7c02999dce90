import { escapeHtml } from './escapeHtml.ts';
import { place } from './scale.ts';

/** The style of a series in all charts: colour, shape of the mark and dashes each identify the series. */
export type SeriesStyle = {
  /** CSS class that sets the colour. */
  readonly className: string;
  readonly mark: 'circle' | 'diamond' | 'triangle' | 'square';
};

export const CANDIDATE_STYLE: SeriesStyle = { className: 's0', mark: 'circle' };
export const EWMA_STYLE: SeriesStyle = { className: 's1', mark: 'diamond' };
export const SERVED_STYLE: SeriesStyle = { className: 's2', mark: 'triangle' };
const FURTHER_STYLES: readonly SeriesStyle[] = [SERVED_STYLE, { className: 's3', mark: 'square' }];

/** Styles of named series, the candidate first. EWMA has the same style at any position. */
export function seriesStyles(names: readonly string[]): SeriesStyle[] {
  let further = 0;
  return names.map((name, i) => {
    if (i === 0) return CANDIDATE_STYLE;
    return /ewma/i.test(name) ? EWMA_STYLE : (FURTHER_STYLES[further++ % FURTHER_STYLES.length] ?? SERVED_STYLE);
  });
}

/** A mark with a diameter of about 2·`radius`, and its tooltip. */
export function drawMark({ className, mark }: SeriesStyle, x: number, y: number, tooltip = '', radius = 4): string {
  const title = tooltip === '' ? '' : `<title>${escapeHtml(tooltip)}</title>`;
  if (mark === 'circle')
    return `<circle class="mark ${className}" cx="${place(x)}" cy="${place(y)}" r="${place(radius)}">${title}</circle>`;
  return `<path class="mark ${className}" d="${outline(mark, radius, x, y)}">${title}</path>`;
}

function outline(mark: 'diamond' | 'triangle' | 'square', radius: number, x: number, y: number): string {
  const far = radius * 1.3;
  const half = radius * 0.9;
  if (mark === 'diamond')
    return `M${place(x)} ${place(y - far)}l${place(far)} ${place(far)}l${place(-far)} ${place(far)}l${place(-far)} ${place(-far)}z`;
  if (mark === 'square') return `M${place(x - half)} ${place(y - half)}h${place(2 * half)}v${place(2 * half)}h${place(-2 * half)}z`;
  return `M${place(x)} ${place(y - far)}l${place(far)} ${place(1.9 * far)}h${place(-2 * far)}z`;
}

export type LegendEntry = {
  readonly name: string;
  /** Default: the dashed line of a reference. */
  readonly style?: SeriesStyle;
  /** Default 'both'. */
  readonly shows?: 'both' | 'mark' | 'thin line';
};

/** Marks with their names as HTML, so that the legend wraps on a narrow page. */
export function drawLegend(entries: readonly LegendEntry[]): string {
  const items = entries.map(({ name, style, shows = 'both' }) => {
    const lineClass = style === undefined ? 'reference' : `${shows === 'both' ? 'line' : 'thin'} ${style.className}`;
    const line = shows === 'mark' ? '' : `<path class="${lineClass}" d="M1 8H29"/>`;
    const mark = style === undefined || shows === 'thin line' ? '' : drawMark(style, 15, 8);
    return `<li><svg viewBox="0 0 30 16" width="30" height="16" aria-hidden="true">${line}${mark}</svg> <span>${escapeHtml(name)}</span></li>`;
  });
  return `<ul class="legend">${items.join('')}</ul>`;
}
