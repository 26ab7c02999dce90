import { CHART_HEIGHT, CHART_WIDTH } from './axes.ts';
import { escapeHtml } from './escapeHtml.ts';

export type SvgFrame = {
  /** Unique on the page. */
  readonly id: string;
  /** What it shows: the accessible name. */
  readonly title: string;
  /** What can be read from it, for those who do not see it. */
  readonly description: string;
  readonly width?: number;
  readonly height?: number;
};

/** One drawing that scales with its column. */
export function drawSvg({ id, title, description, width = CHART_WIDTH, height = CHART_HEIGHT }: SvgFrame, content: string): string {
  return `<svg class="chart" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="${id}-title ${id}-desc"><title id="${id}-title">${escapeHtml(title)}</title><desc id="${id}-desc">${escapeHtml(description)}</desc>${content}</svg>`;
}

/** What stands in the place of a chart that has nothing to show. */
export function drawEmpty(sentence: string): string {
  return `<p class="empty">${escapeHtml(sentence)}</p>`;
}
