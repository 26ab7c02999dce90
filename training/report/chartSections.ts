import {
  byDrift,
  CELL_SERIES,
  cellDomain,
  cellPlot,
  driftPlot,
  LOSS_SERIES,
  precisionPlot,
  PSI_LINES,
  reliabilityPlot,
  trainingPlot,
} from './charts.ts';
import { drawEmpty, drawLegend } from './drawPlot.ts';
import { escapeHtml } from './escapeHtml.ts';
import { formatDifference, formatFigure, formatHorizon, formatPercent, formatSignificant } from './formatFigure.ts';
import { foldedTable } from './renderTable.ts';
import type { ReportCell, ReportData } from './ReportData.ts';

/** Curves that are shown unfolded: two rows of a wide page. */
const OPEN_CURVES = 6;

/** Precision by coverage and the reliability diagram, side by side on a wide page. */
export function probabilitySection({ precision, reliability, baseRate }: ReportData): string {
  const precisionRows = precision.flatMap(({ name, points }) =>
    points.map((point) => [name, formatPercent(point.coverage, 1), formatPercent(point.precision, 1)]),
  );
  const reliabilityRows = reliability.flatMap(({ name, bins }) =>
    bins.map(({ p, rate, low, high, n }) => [
      ...[name, formatPercent(p, 1), formatPercent(rate, 1)],
      ...[`${formatPercent(low, 1)} to ${formatPercent(high, 1)}`, formatFigure(n, 0)],
    ]),
  );
  return `<section><h2>Probabilities</h2><div class="charts">
<figure><figcaption><h3>Precision by coverage</h3><p>Of the windows that it is surest about, how many moved. Higher is better; at the base rate it knows nothing.</p></figcaption>${
    precision.length === 0
      ? drawEmpty('No rows were evaluated.')
      : precisionPlot(precision, baseRate) +
        foldedTable('Figures', { title: 'Precision by coverage', about: '', head: ['', 'coverage', 'precision'], rows: precisionRows })
  }</figure>
<figure><figcaption><h3>Reliability</h3><p>Does 30 % mean 30 %? Points on the diagonal do what they say; bars are 90 % intervals.</p></figcaption>${
    reliability.length === 0
      ? drawEmpty('No rows were evaluated.')
      : reliabilityPlot(reliability) +
        foldedTable('Figures', {
          title: 'Reliability',
          about: '',
          head: ['', 'said', 'seen', '90 % interval', 'rows'],
          rows: reliabilityRows,
        })
  }</figure>
</div></section>`;
}

/** AUC of each cell, one panel per horizon, then all cells as a table. */
export function cellSection({ cells }: ReportData): string {
  if (cells.length === 0) return `<section><h2>By instrument and horizon</h2>${drawEmpty('No cell was evaluated.')}</section>`;
  const counted = cells.filter(({ counts }) => counts);
  const shown = counted.length > 0 ? counted : cells;
  const domain = cellDomain(shown);
  const horizons = [...new Set(shown.map(({ horizonS }) => horizonS))].sort((a, b) => a - b);
  const panels = horizons.map((horizon, i) => {
    const members = shown.filter(({ horizonS }) => Object.is(horizonS, horizon));
    return `<figure><figcaption><h3>${escapeHtml(formatHorizon(horizon))}</h3></figcaption>${cellPlot(members, domain, `cells-${i}`)}</figure>`;
  });
  const left = cells.length - counted.length;
  const about =
    counted.length === 0
      ? 'None of these cells has enough rows of each class to count: treat them as noise.'
      : `Only cells with enough rows of each class are drawn${left === 0 ? '.' : `; ${left} more ${left === 1 ? 'is' : 'are'} in the table.`}`;
  const legend = drawLegend(CELL_SERIES.filter(({ key }) => key !== 'served' || shown.some(({ served }) => served !== null)));
  return `<section><h2>By instrument and horizon</h2><p>AUC: how well the probabilities separate windows with a move from those without; 0.5 is chance. The figure on the right is candidate − EWMA. ${escapeHtml(about)}</p>${legend}<div class="charts three">${panels.join('\n')}</div>${foldedTable(
    `All ${cells.length} cells`,
    {
      title: 'All cells',
      about: '',
      head: ['instrument', 'horizon', 'rows', 'base rate', 'AUC EWMA', 'AUC served', 'AUC candidate', 'candidate − EWMA', 'counts'],
      rows: cells.map(cellRow),
    },
  )}</section>`;
}

function cellRow({ instrument, horizonS, n, baseRate, candidate, ewma, served, counts }: ReportCell): string[] {
  return [
    ...[instrument, formatHorizon(horizonS), formatFigure(n, 0), formatFigure(baseRate, 3), formatFigure(ewma, 3)],
    ...[served === null ? '–' : formatFigure(served, 3), formatFigure(candidate, 3), formatDifference(candidate - ewma, 3)],
    counts ? 'yes' : 'too few',
  ];
}

/** One small chart per network; after six, the rest is folded. Empty if no network was trained. */
export function trainingSection({ curves }: ReportData): string {
  if (curves.length === 0) return '';
  const charts = curves.map((curve, i) => trainingPlot(curve, `curve-${i}`));
  const grid = (some: readonly string[]): string => `<div class="charts small">${some.join('\n')}</div>`;
  const rest = charts.slice(OPEN_CURVES);
  const folded = rest.length === 0 ? '' : `<details><summary>${rest.length} more</summary>${grid(rest)}</details>`;
  return `<section><h2>Training</h2><p>Mean cross entropy by step; each chart has its own scale. The dashed line is the step whose weights were kept.</p>${drawLegend(LOSS_SERIES)}${grid(charts.slice(0, OPEN_CURVES))}${folded}</section>`;
}

/** The inputs that differ most between training and test rows, and a table of all inputs. */
export function driftSection({ drift }: ReportData): string {
  if (drift.length === 0) return `<section><h2>Drift of inputs</h2>${drawEmpty('No inputs were compared.')}</section>`;
  const [calm, far] = PSI_LINES;
  const over = drift.filter(({ psi }) => psi > far).length;
  const sentence =
    over === 0
      ? 'No input is above it.'
      : `${over} of ${drift.length} ${over === 1 ? 'is' : 'are'} above it: there the test rows are a different market.`;
  const rows = byDrift(drift).map(({ column, trainMean, testMean, trainStd, psi }) => [
    ...[column, formatSignificant(trainMean), formatSignificant(testMean)],
    ...[formatSignificant(trainStd), formatFigure(psi, 3)],
  ]);
  const head = ['input', 'mean, training', 'mean, test', 'deviation, training', 'index'];
  return `<section><h2>Drift of inputs</h2><p>Distance between the inputs of test and training rows. Below ${calm} is calm, above ${far} is a different market. ${sentence}</p><div class="charts"><figure>${driftPlot(drift)}</figure></div>${foldedTable(
    `All ${drift.length} inputs`,
    { title: 'All inputs', about: '', head, rows },
  )}</section>`;
}
