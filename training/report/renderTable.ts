import { escapeHtml } from './escapeHtml.ts';
import type { ReportTable } from './ReportData.ts';

/** Matches cells with one figure and at most a short unit; a dash or an empty cell is allowed among them. */
const FIGURE = /^[+\u2212≥≤<>~-]?\s?[\d.,∞]+\s?(%|[a-z]{1,3})?$|^[–-]?$/;

/** A table that scrolls in its own box on a narrow page; columns of figures are right-aligned. `isBare`: without its title. */
export function renderTable({ title, about, head, rows }: ReportTable, isBare = false): string {
  const width = Math.max(head.length, ...rows.map((row) => row.length), 0);
  const columns = Array.from({ length: width }, (_, i) => i);
  const isFigures = columns.map((column) => column > 0 && rows.length > 0 && rows.every((row) => FIGURE.test(row[column] ?? '')));
  const kind = (column: number): string => (isFigures[column] === true ? ' class="figure"' : '');
  const headCells = columns.map((column) => `<th scope="col"${kind(column)}>${escapeHtml(head[column] ?? '')}</th>`);
  const bodyRows = rows.map((row) => {
    const cells = columns.map((column) =>
      column === 0 ? `<th scope="row">${escapeHtml(row[0] ?? '')}</th>` : `<td${kind(column)}>${escapeHtml(row[column] ?? '')}</td>`,
    );
    return `<tr>${cells.join('')}</tr>`;
  });
  const heading = isBare ? '' : `<h3>${escapeHtml(title)}</h3>`;
  const sentence = about === '' ? '' : `<p>${escapeHtml(about)}</p>`;
  const table = `<table><thead><tr>${headCells.join('')}</tr></thead><tbody>${bodyRows.join('')}</tbody></table>`;
  const content =
    rows.length === 0
      ? '<p class="empty">No rows.</p>'
      : `<div class="scroll" tabindex="0" role="region" aria-label="${escapeHtml(title)}">${table}</div>`;
  return `${heading}${sentence}${content}`;
}

/** The same, folded under a summary line. */
export function foldedTable(summary: string, table: ReportTable): string {
  return `<details><summary>${escapeHtml(summary)}</summary>${renderTable(table, true)}</details>`;
}
