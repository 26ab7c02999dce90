import { domainOf, drawEmpty, drawLegend, drawPlot, isDrawable, niceDomain, type Series, type SeriesStyle } from './drawPlot.ts';
import { escapeHtml } from './escapeHtml.ts';
import { formatDifference, formatFigure, formatHorizon, formatPercent, formatSignificant } from './formatFigure.ts';
import { foldedTable } from './renderTable.ts';
import type { NamedReliability, PrecisionCurve, ReportCell, ReportData, TrainingCurve } from './ReportData.ts';

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

const CANDIDATE_STYLE: SeriesStyle = { className: 's0', mark: 'circle' };
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
function precisionPlot(curves: readonly PrecisionCurve[], baseRate: number): string {
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
function reliabilityPlot(curves: readonly NamedReliability[]): string {
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

/** AUC of each cell as a table, and how many are better. */
export function cellSection({ cells }: ReportData): string {
  if (cells.length === 0) return `<section><h2>By instrument and horizon</h2>${drawEmpty('No cell was evaluated.')}</section>`;
  const counted = cells.filter(({ counts }) => counts);
  const better = counted.filter(({ candidate, ewma }) => candidate > ewma).length;
  const about =
    counted.length === 0
      ? 'None of these cells has enough rows of each class to count: treat them as noise.'
      : `The candidate is above EWMA in ${better} of the ${counted.length} cells with enough rows of each class.`;
  const head = ['instrument', 'horizon', 'rows', 'base rate', 'AUC EWMA', 'AUC served', 'AUC candidate', 'candidate − EWMA', 'counts'];
  return `<section><h2>By instrument and horizon</h2><p>AUC: how well the probabilities separate windows with a move from those without; 0.5 is chance. ${about}</p>${foldedTable(
    `All ${cells.length} cells`,
    { title: 'All cells', about: '', head, rows: cells.map(cellRow) },
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

/** Series of the charts of one network. Training loss has the second colour, validation loss the first. */
const LOSS_SERIES = [
  { name: 'validation', style: CANDIDATE_STYLE, draw: 'line' },
  { name: 'training', style: EWMA_STYLE, draw: 'thin' },
] as const;

/** The losses of one network: training as a thin line, validation with points, and the kept step as a dashed line. */
function trainingPlot({ name, training, validation, bestStep }: TrainingCurve, id: string): string {
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

/** Limits of the population stability index: below the first is calm, above the second is a different market. */
const PSI_LINES = [0.1, 0.25] as const;
/** Inputs above the limit that are named. */
const MOST_NAMED = 5;

/** The inputs that differ most between training and test rows, and a table of all inputs. */
export function driftSection({ drift }: ReportData): string {
  if (drift.length === 0) return `<section><h2>Drift of inputs</h2>${drawEmpty('No inputs were compared.')}</section>`;
  const rank = ({ psi }: (typeof drift)[number]): number => (Number.isNaN(psi) ? -Infinity : psi);
  const sorted = [...drift].sort((a, b) => (rank(a) === rank(b) ? 0 : rank(b) - rank(a)));
  const [calm, far] = PSI_LINES;
  const over = sorted.filter(({ psi }) => psi > far).map(({ column }) => column);
  const named = `${over.slice(0, MOST_NAMED).join(', ')}${over.length > MOST_NAMED ? ', …' : ''}`;
  const sentence =
    over.length === 0
      ? 'No input is above it.'
      : `${over.length} of ${drift.length} ${over.length === 1 ? 'is' : 'are'} above it (${named}): there the test rows are a different market.`;
  const rows = sorted.map(({ column, trainMean, testMean, trainStd, psi }) => [
    ...[column, formatSignificant(trainMean), formatSignificant(testMean)],
    ...[formatSignificant(trainStd), formatFigure(psi, 3)],
  ]);
  const head = ['input', 'mean, training', 'mean, test', 'deviation, training', 'index'];
  return `<section><h2>Drift of inputs</h2><p>Distance between the inputs of test and training rows: the population stability index. Below ${calm} is calm, above ${far} is a different market. ${escapeHtml(sentence)}</p>${foldedTable(
    `All ${drift.length} inputs`,
    { title: 'All inputs', about: '', head, rows },
  )}</section>`;
}
