import { drawAxes, makeFrame, niceDomain } from './axes.ts';
import { drawEmpty, drawSvg } from './drawSvg.ts';
import { escapeHtml } from './escapeHtml.ts';
import { formatFigure, formatPercent } from './formatFigure.ts';
import { drawLegend, drawMark, seriesStyles, type SeriesStyle } from './marks.ts';
import type { NamedReliability, ReliabilityBin } from './ReportData.ts';
import { domainOf, isDrawable, place } from './scale.ts';

const HEIGHT = 372;
const percent = (value: number, digits: number): string => formatPercent(value, Math.max(0, digits - 2));

/** Predicted probability against observed fraction with its interval; on the diagonal both are equal. */
export function reliabilityPlot(curves: readonly NamedReliability[]): string {
  const styles = seriesStyles(curves.map(({ name }) => name));
  const shown = curves.flatMap(({ name, bins }, i) => {
    const style = styles[i];
    const drawn = bins.filter(({ p, rate }) => isDrawable(p) && isDrawable(rate)).sort((a, b) => a.p - b.p);
    return style === undefined || drawn.length === 0 ? [] : [{ name, style, bins: drawn }];
  });
  const span = domainOf(shown.flatMap(({ bins }) => [0, ...bins.flatMap(({ p, rate, high }) => [p, rate, high])]));
  if (span === undefined) return drawEmpty('Nothing to draw: no bin has a finite probability and fraction.');
  const domain = niceDomain([Math.min(0, span[0]), span[1]]);
  const frame = makeFrame(domain, domain, undefined, HEIGHT);
  const parts = [
    drawAxes(
      frame,
      { title: 'predicted probability (mean of the bin)', domain, format: percent },
      { title: 'fraction that moved', domain, format: percent },
    ),
    `<path class="reference" d="M${place(frame.left)} ${place(frame.bottom)}L${place(frame.right)} ${place(frame.top)}"><title>predicted = observed</title></path>`,
    ...[...shown].reverse().map(({ name, style, bins }) => drawBins(frame, name, style, bins)),
  ];
  const svg = drawSvg(
    {
      id: 'reliability',
      title: 'Reliability diagram',
      description: `Observed fraction by predicted probability in bins of equal mass for ${shown.map(({ name }) => name).join(', ')}, with 90 % intervals and the diagonal.`,
      height: HEIGHT,
    },
    parts.join(''),
  );
  return svg + drawLegend([...shown.map(({ name, style }) => ({ name, style })), { name: 'said = seen' }]);
}

function drawBins(frame: ReturnType<typeof makeFrame>, name: string, style: SeriesStyle, bins: readonly ReliabilityBin[]): string {
  const path = bins.map(({ p, rate }, i) => `${i === 0 ? 'M' : 'L'}${place(frame.x(p))} ${place(frame.y(rate))}`).join('');
  const intervals = bins.map(({ p, low, high }) =>
    isDrawable(low) && isDrawable(high)
      ? `<path class="interval ${style.className}" d="M${place(frame.x(p))} ${place(frame.y(low))}V${place(frame.y(high))}"/>`
      : '',
  );
  const marks = bins.map(({ p, rate, low, high, n }) =>
    drawMark(
      style,
      frame.x(p),
      frame.y(rate),
      `${name}: predicted ${formatPercent(p, 1)}, observed ${formatPercent(rate, 1)} (${formatPercent(low, 1)} to ${formatPercent(high, 1)}), ${formatFigure(n, 0)} rows`,
    ),
  );
  return `<g aria-label="${escapeHtml(name)}">${intervals.join('')}<path class="line ${style.className}" d="${path}"/>${marks.join('')}</g>`;
}
