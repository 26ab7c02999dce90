import { niceTicks } from './axes.ts';
import { drawSvg } from './drawSvg.ts';
import { escapeHtml } from './escapeHtml.ts';
import { formatDifference, formatFigure, formatHorizon } from './formatFigure.ts';
import { CANDIDATE_STYLE, drawMark, EWMA_STYLE, SERVED_STYLE } from './marks.ts';
import type { ReportCell } from './ReportData.ts';
import { type Domain, domainOf, isDrawable, linearScale, place } from './scale.ts';
import { shortenName } from './shortenName.ts';

const WIDTH = 400;
const ROW = 38;
const TOP = 8;
const BOTTOM = 40;
const LEFT = 14;
const RIGHT = 338;
const LABEL_COLUMNS = 48;

/** One domain of AUC for all panels, which includes 0.5, so that panels can be compared; undefined if no AUC is finite. */
export function cellDomain(cells: readonly ReportCell[]): Domain | undefined {
  const span = domainOf(cells.flatMap(({ candidate, ewma, served }) => [candidate, ewma, ...(served === null ? [] : [served])]));
  if (span === undefined) return undefined;
  const [low, high] = [Math.min(0.5, span[0]), Math.max(0.55, span[1])];
  const margin = 0.04 * (high - low);
  return [low - margin, high + margin];
}

/**
 * The cells of one horizon, one row per instrument: AUC of the candidate, of EWMA and of the served version on one line, followed by the
 * difference.
 */
export function cellPlot(cells: readonly ReportCell[], domain: Domain, id: string): string {
  const horizon = formatHorizon(cells[0]?.horizonS ?? NaN);
  const x = linearScale(domain, LEFT, RIGHT);
  const height = TOP + cells.length * ROW + BOTTOM;
  const bottom = height - BOTTOM;
  const ticks = niceTicks(domain, 4);
  const axis = ticks.values.map(
    (value) =>
      `<path class="grid" d="M${place(x(value))} ${TOP}V${bottom + 4}"/><text class="middle" x="${place(x(value))}" y="${bottom + 18}">${escapeHtml(formatFigure(value, ticks.digits))}</text>`,
  );
  const parts = [
    ...axis,
    ...cells.map((cell, i) => drawCell(cell, x, TOP + (i + 0.66) * ROW)),
    `<text class="title middle" x="${(LEFT + RIGHT) / 2}" y="${bottom + 35}">AUC</text>`,
  ];
  const better = cells.filter(({ candidate, ewma }) => candidate > ewma).length;
  const description = `${cells.length} instruments at ${horizon}; the candidate is above EWMA in ${better}. The figures are in the table below.`;
  return drawSvg({ id, title: `AUC by instrument at ${horizon}`, description, width: WIDTH, height }, parts.join(''));
}

function drawCell(cell: ReportCell, x: (value: number) => number, y: number): string {
  const { instrument, n, candidate, ewma, served } = cell;
  const isPair = isDrawable(candidate) && isDrawable(ewma);
  const others = [`EWMA ${formatFigure(ewma, 3)}`, ...(served === null ? [] : [`served ${formatFigure(served, 3)}`])].join(', ');
  const tooltip = `${instrument}: candidate ${formatFigure(candidate, 3)}, ${others}, ${formatFigure(n, 0)} rows`;
  const side = candidate >= ewma ? 's0' : 's1';
  return [
    `<text class="title" x="2" y="${place(y - 13)}"><title>${escapeHtml(instrument)}</title>${escapeHtml(shortenName(instrument, LABEL_COLUMNS))}</text>`,
    // Drawn per row, so that the line does not cross the names.
    `<path class="reference" d="M${place(x(0.5))} ${place(y - 9)}v18"><title>0.5: chance</title></path>`,
    isPair ? `<path class="between ${side}" d="M${place(x(ewma))} ${place(y)}H${place(x(candidate))}"/>` : '',
    served !== null && isDrawable(served) ? drawMark(SERVED_STYLE, x(served), y, tooltip) : '',
    isDrawable(ewma) ? drawMark(EWMA_STYLE, x(ewma), y, tooltip) : '',
    isDrawable(candidate) ? drawMark(CANDIDATE_STYLE, x(candidate), y, tooltip, 4.5) : '',
    isPair ? `<text class="end" x="${WIDTH - 2}" y="${place(y + 4)}">${escapeHtml(formatDifference(candidate - ewma, 3))}</text>` : '',
  ].join('');
}
