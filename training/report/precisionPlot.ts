import { formatPercent } from './formatFigure.ts';
import { linePlot } from './linePlot.ts';
import { drawLegend, seriesStyles } from './marks.ts';
import type { PrecisionCurve } from './ReportData.ts';

const percent = (value: number, digits: number): string => formatPercent(value, Math.max(0, digits - 2));

/** Precision over coverage, one line per curve; the base rate, the precision of random marks, is dashed. */
export function precisionPlot(curves: readonly PrecisionCurve[], baseRate: number): string {
  const styles = seriesStyles(curves.map(({ name }) => name));
  const baseName = `base rate ${formatPercent(baseRate, 1)}`;
  const series = curves.flatMap(({ name, points }, i) => {
    const style = styles[i];
    if (style === undefined) return [];
    const drawn = [...points].sort((a, b) => a.coverage - b.coverage);
    return [
      {
        style,
        points: drawn.map(({ coverage, precision }) => ({
          x: coverage,
          y: precision,
          tooltip: `${name}: of the most probable ${formatPercent(coverage, 1)}, ${formatPercent(precision, 1)} moved`,
        })),
      },
    ];
  });
  const svg = linePlot({
    id: 'precision',
    title: 'Precision by coverage',
    description: `Precision of the most probable fraction of the rows for ${curves.map(({ name }) => name).join(', ')}; ${baseName}.`,
    x: { title: 'coverage: most probable fraction of the rows', format: percent },
    y: { title: 'precision: fraction of them that moved', format: percent },
    level: { y: baseRate, name: baseName },
    series,
  });
  return (
    svg +
    drawLegend([...curves.flatMap(({ name }, i) => (styles[i] === undefined ? [] : [{ name, style: styles[i] }])), { name: baseName }])
  );
}
