import { niceTicks } from './axes.ts';
import { drawEmpty, drawSvg } from './drawSvg.ts';
import { escapeHtml } from './escapeHtml.ts';
import { formatFigure } from './formatFigure.ts';
import type { ColumnDrift } from './ReportData.ts';
import { linearScale, place } from './scale.ts';
import { shortenName } from './shortenName.ts';

/** Limits of the population stability index: below the first is calm, above the second is a different market. */
export const PSI_LINES = [0.1, 0.25] as const;
const MOST_BARS = 15;
/** Largest end of the axis: longer bars are cut and labelled with their value, so that the two limit lines stay apart. */
const LONGEST_BAR = 1;

const WIDTH = 400;
const ROW = 21;
const TOP = 24;
const BOTTOM = 40;
const LEFT = 192;
const RIGHT = 356;
const LABEL_COLUMNS = 25;

/** Inputs by descending PSI; those without a value last. */
export function byDrift(drift: readonly ColumnDrift[]): ColumnDrift[] {
  const rank = ({ psi }: ColumnDrift): number => (Number.isNaN(psi) ? -Infinity : psi);
  return [...drift].sort((a, b) => (rank(a) === rank(b) ? 0 : rank(b) - rank(a)));
}

/** The inputs with the largest drift between training and test rows, as bars, with the two limits of the index. */
export function driftPlot(drift: readonly ColumnDrift[]): string {
  const bars = byDrift(drift)
    .filter(({ psi }) => psi >= 0)
    .slice(0, MOST_BARS);
  const [first] = bars;
  if (first === undefined) return drawEmpty('Nothing to draw: no input has a finite index.');
  const longest = Math.min(LONGEST_BAR, Math.max(0.3, first.psi * 1.05));
  const x = linearScale([0, longest], LEFT, RIGHT);
  const height = TOP + bars.length * ROW + BOTTOM;
  const bottom = height - BOTTOM;
  const ticks = niceTicks([0, longest], 4);
  const parts = [
    ...ticks.values.map(
      (value) =>
        `<path class="grid" d="M${place(x(value))} ${TOP}V${bottom + 4}"/><text class="middle" x="${place(x(value))}" y="${bottom + 18}">${escapeHtml(formatFigure(value, ticks.digits))}</text>`,
    ),
    ...bars.map((bar, i) => drawBar(bar, x, TOP + i * ROW)),
    ...PSI_LINES.map(
      (psi) =>
        `<path class="reference" d="M${place(x(psi))} ${TOP - 4}V${bottom}"/><text class="middle" x="${place(x(psi))}" y="${TOP - 10}">${psi}</text>`,
    ),
    `<text class="title middle" x="${(LEFT + RIGHT) / 2}" y="${bottom + 35}">population stability index</text>`,
  ];
  const over = drift.filter(({ psi }) => psi > PSI_LINES[1]).length;
  const description = `The ${bars.length} inputs with the highest index, the highest ${formatFigure(first.psi, 2)}; ${over} of ${drift.length} are above ${PSI_LINES[1]}.`;
  return drawSvg({ id: 'drift', title: 'Drift of inputs from training to test', description, width: WIDTH, height }, parts.join(''));
}

function drawBar({ column, psi }: ColumnDrift, x: (value: number) => number, top: number): string {
  const level = psi > PSI_LINES[1] ? 'far' : psi > PSI_LINES[0] ? 'some' : 'calm';
  const label = `${escapeHtml(shortenName(column, LABEL_COLUMNS))}`;
  return [
    `<text class="end" x="${LEFT - 8}" y="${top + 14}"><title>${escapeHtml(column)}</title>${label}</text>`,
    `<path class="bar ${level}" d="M${LEFT} ${top + 3}H${place(Math.max(x(psi), LEFT + 1))}v${ROW - 6}H${LEFT}z"><title>${escapeHtml(`${column}: ${formatFigure(psi, 3)}`)}</title></path>`,
    `<text class="${level === 'far' ? 'strong ' : ''}end" x="${WIDTH - 2}" y="${top + 14}">${escapeHtml(formatFigure(psi, 2))}</text>`,
  ].join('');
}
