import {
  type Domain,
  domainOf,
  drawEmpty,
  drawLegend,
  drawPlot,
  isDrawable,
  niceDomain,
  type Series,
  type SeriesStyle,
} from './drawPlot.ts';
import { escapeHtml } from './escapeHtml.ts';
import { formatDifference, formatFigure, formatHorizon, formatPercent } from './formatFigure.ts';
import type { ColumnDrift, NamedReliability, PrecisionCurve, ReportCell, TrainingCurve } from './ReportData.ts';

export const CANDIDATE_STYLE: SeriesStyle = { className: 's0', mark: 'circle' };
export const EWMA_STYLE: SeriesStyle = { className: 's1', mark: 'diamond' };
const SERVED_STYLE: SeriesStyle = { className: 's2', mark: 'triangle' };
const FURTHER_STYLES: readonly SeriesStyle[] = [SERVED_STYLE, { className: 's3', mark: 'square' }];

/** Styles of named series, the candidate first. EWMA has the same style at any position. */
export function seriesStyles(names: readonly string[]): SeriesStyle[] {
  let further = 0;
  return names.map((name, i) => {
    if (i === 0) return CANDIDATE_STYLE;
    return /ewma/i.test(name) ? EWMA_STYLE : (FURTHER_STYLES[further++ % FURTHER_STYLES.length] ?? SERVED_STYLE);
  });
}

function styled<Curve extends { readonly name: string }>(curves: readonly Curve[]): (Curve & Omit<Series, 'points'>)[] {
  const styles = seriesStyles(curves.map(({ name }) => name));
  return curves.map((curve, i) => ({ ...curve, style: styles[i] ?? CANDIDATE_STYLE, draw: 'line' }));
}

const percent = (value: number, digits: number): string => formatPercent(value, Math.max(0, digits - 2));
const namesOf = (curves: readonly { readonly name: string }[]): string => curves.map(({ name }) => name).join(', ');

/** Precision over coverage, one line per curve; the base rate, the precision of random marks, is dashed. */
export function precisionPlot(curves: readonly PrecisionCurve[], baseRate: number): string {
  const references = [{ name: `base rate ${formatPercent(baseRate, 1)}`, y: baseRate }];
  const series = styled(curves).map(({ points, ...one }) => ({
    ...one,
    points: [...points]
      .sort((a, b) => a.coverage - b.coverage)
      .map(({ coverage, precision }) => ({
        x: coverage,
        y: precision,
        tooltip: `${one.name}: of the most probable ${formatPercent(coverage, 1)}, ${formatPercent(precision, 1)} moved`,
      })),
  }));
  const svg = drawPlot({
    id: 'precision',
    title: 'Precision by coverage',
    description: `Precision of the most probable fraction of the rows for ${namesOf(curves)}; ${namesOf(references)}.`,
    x: { title: 'coverage: most probable fraction of the rows', format: percent },
    y: { title: 'precision: fraction of them that moved', format: percent },
    series,
    references,
  });
  return svg + drawLegend(series, references);
}

/** Predicted probability against observed fraction with its interval; on the diagonal both are equal. */
export function reliabilityPlot(curves: readonly NamedReliability[]): string {
  const references = [{ name: 'predicted = observed' }];
  const series = styled(curves).map(({ bins, ...one }) => ({
    ...one,
    points: bins
      .filter(({ p, rate }) => isDrawable(p) && isDrawable(rate))
      .sort((a, b) => a.p - b.p)
      .map(({ p, rate, low, high, n }) => ({
        x: p,
        y: rate,
        interval: [low, high] as const,
        tooltip: `${one.name}: predicted ${formatPercent(p, 1)}, observed ${formatPercent(rate, 1)} (${formatPercent(low, 1)} to ${formatPercent(high, 1)}), ${formatFigure(n, 0)} rows`,
      })),
  }));
  const domain = niceDomain(
    domainOf([0, ...series.flatMap(({ points }) => points.flatMap(({ x, y, interval }) => [x, y, interval[1]]))]) ?? [0, 1],
  );
  const svg = drawPlot({
    id: 'reliability',
    title: 'Reliability diagram',
    description: `Observed fraction by predicted probability in bins of equal mass for ${namesOf(curves)}, with 90 % intervals and the diagonal.`,
    height: 372,
    x: { title: 'predicted probability (mean of the bin)', domain, format: percent },
    y: { title: 'fraction that moved', domain, format: percent },
    series,
    references,
  });
  return svg + drawLegend(series, references);
}

/** Series of the charts of one network. Training loss has the second colour, validation loss the first. */
export const LOSS_SERIES = [
  { name: 'validation', style: CANDIDATE_STYLE, draw: 'line' },
  { name: 'training', style: EWMA_STYLE, draw: 'thin' },
] as const;

/** The losses of one network: training as a thin line, validation with points, and the kept step as a dashed line. */
export function trainingPlot({ name, training, validation, bestStep }: TrainingCurve, id: string): string {
  const best = validation.find(({ step }) => step === bestStep);
  const kept = `kept step ${formatFigure(bestStep, 0)}${best === undefined ? '' : `, validation ${formatFigure(best.loss, 4)}`}`;
  const svg = drawPlot({
    id,
    title: `Losses of ${name}`,
    description: `${training.length} training losses and ${validation.length} validation losses by step; ${kept}.`,
    width: 340,
    height: 215,
    x: { title: 'step', ticks: 4 },
    y: { title: 'loss, nats', ticks: 4 },
    references: [{ name: kept, x: bestStep }],
    series: LOSS_SERIES.map((one) => ({
      ...one,
      points: (one.name === 'training' ? training : validation).map(({ step, loss }) => ({
        x: step,
        y: loss,
        tooltip: `step ${formatFigure(step, 0)}: ${one.name} ${formatFigure(loss, 4)}`,
      })),
    })),
  });
  return `<figure class="small"><figcaption><b>${escapeHtml(name)}</b> <span>${escapeHtml(kept)}</span></figcaption>${svg}</figure>`;
}

/** Series of the charts of cells: the figures of one row are on one line. */
export const CELL_SERIES = [
  { key: 'candidate', name: 'candidate', style: CANDIDATE_STYLE, draw: 'marks' },
  { key: 'ewma', name: 'EWMA', style: EWMA_STYLE, draw: 'marks' },
  { key: 'served', name: 'served version', style: SERVED_STYLE, draw: 'marks' },
] as const;

/** One domain of AUC for all panels, which includes 0.5, so that panels can be compared. */
export function cellDomain(cells: readonly ReportCell[]): Domain {
  const span = domainOf(cells.flatMap(({ candidate, ewma, served }) => [candidate, ewma, served ?? NaN])) ?? [0.5, 0.5];
  const [low, high] = [Math.min(0.5, span[0]), Math.max(0.55, span[1])];
  const margin = 0.04 * (high - low);
  return [low - margin, high + margin];
}

/** The cells of one horizon, one row per instrument: AUC by `CELL_SERIES`, then the difference. The better side colours the line between. */
export function cellPlot(cells: readonly ReportCell[], domain: Domain, id: string): string {
  const horizon = formatHorizon(cells[0]?.horizonS ?? NaN);
  const better = cells.filter(({ candidate, ewma }) => candidate > ewma).length;
  const tooltipOf = ({ instrument, n, candidate, ewma, served }: ReportCell): string =>
    `${instrument}: candidate ${formatFigure(candidate, 3)}, EWMA ${formatFigure(ewma, 3)}${served === null ? '' : `, served ${formatFigure(served, 3)}`}, ${formatFigure(n, 0)} rows`;
  return drawPlot({
    id,
    title: `AUC by instrument at ${horizon}`,
    description: `${cells.length} instruments at ${horizon}; the candidate is above EWMA in ${better}. The figures are in the table below.`,
    x: { title: 'AUC', domain, ticks: 4 },
    y: {
      names: 'above',
      rows: cells.map(({ instrument, candidate, ewma }) => {
        const difference = candidate - ewma;
        return { name: instrument, note: isDrawable(difference) ? formatDifference(difference, 3) : '' };
      }),
    },
    references: [{ name: '0.5: chance', x: 0.5 }],
    series: CELL_SERIES.map(({ key, ...one }) => ({
      ...one,
      points: cells.map((cell, y) => ({
        x: cell[key] ?? NaN,
        y,
        tooltip: tooltipOf(cell),
        ...(key === (cell.candidate >= cell.ewma ? 'candidate' : 'ewma') ? { interval: [cell.ewma, cell.candidate] as const } : {}),
      })),
    })),
  });
}

/** Limits of the population stability index: below the first is calm, above the second is a different market. */
export const PSI_LINES = [0.1, 0.25] as const;
const MOST_BARS = 15;
/** Largest end of the axis: longer bars are cut and labelled with their value, so that the two limit lines stay apart. */
const LONGEST_BAR = 1;

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
  const [calm, far] = PSI_LINES;
  const longest = Math.min(LONGEST_BAR, Math.max(0.3, first.psi * 1.05));
  const over = drift.filter(({ psi }) => psi > far).length;
  const level = (psi: number): string => (psi > far ? 's1' : psi > calm ? 's0' : 'calm');
  return drawPlot({
    id: 'drift',
    title: 'Drift of inputs from training to test',
    description: `The ${bars.length} inputs with the highest index, the highest ${formatFigure(first.psi, 2)}; ${over} of ${drift.length} are above ${far}.`,
    x: { title: 'population stability index', domain: [0, longest], ticks: 4 },
    y: { names: 'left', rows: bars.map(({ column, psi }) => ({ name: column, note: formatFigure(psi, 2), isStrong: psi > far })) },
    references: PSI_LINES.map((psi) => ({ name: `index ${psi}`, label: String(psi), x: psi })),
    series: ['calm', 's0', 's1'].map((className) => ({
      name: `index ${{ calm: `up to ${calm}`, s0: `${calm} to ${far}`, s1: `above ${far}` }[className] ?? ''}`,
      style: { className, mark: 'square' },
      draw: 'bars',
      points: bars.flatMap(({ column, psi }, y) =>
        level(psi) === className ? [{ x: Math.min(psi, longest), y, tooltip: `${column}: ${formatFigure(psi, 3)}` }] : [],
      ),
    })),
  });
}
