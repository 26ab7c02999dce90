import { CHART_HEIGHT, CHART_WIDTH } from './axes.ts';
import { escapeHtml } from './escapeHtml.ts';

export type SvgFrame = {
  /** Unique on the page. */
  readonly id: string;
  /** The accessible name. */
  readonly title: string;
  /** The accessible description. */
  readonly description: string;
  readonly width?: number;
  readonly height?: number;
};

/** An SVG that scales with its column. */
export function drawSvg({ id, title, description, width = CHART_WIDTH, height = CHART_HEIGHT }: SvgFrame, content: string): string {
  return `<svg class="chart" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="${id}-title ${id}-desc"><title id="${id}-title">${escapeHtml(title)}</title><desc id="${id}-desc">${escapeHtml(description)}</desc>${content}</svg>`;
}

/** The text in place of an empty chart. */
export function drawEmpty(sentence: string): string {
  return `<p class="empty">${escapeHtml(sentence)}</p>`;
}
