import { countText, percentText } from '../answer/describeAnswer.ts';
import { writeTimestamp } from '../../ticks/timestamps.ts';
import type { CalibrationBin, CurvePoint, Part, Rate } from './curves.ts';
import { percentAxis, Plot, type PlotTick } from './drawPlot.ts';

export const intervalText = ([low, high]: readonly [number, number]): string => `${percentText(low)} to ${percentText(high)}`;
export const rateText = ({ count, of, share, interval90 }: Rate): string =>
  of === 0 ? 'none' : `${percentText(share)} (${count} of ${of}; 90 % interval ${intervalText(interval90)})`;

const day = (us: number, spanUs: number): string =>
  spanUs > 2 * 86_400_000_000 ? writeTimestamp(us).slice(5, 10) : writeTimestamp(us).slice(11, 16);

/** Hit rate of the marks as dots over the base rate as bars, part by part. */
export function drawTime(parts: readonly Part[]): Plot {
  const [first, last] = [parts[0].fromUs, parts.at(-1)!.toUs];
  const most = Math.max(...parts.map(({ baseRate, hits }) => Math.max(baseRate.share, hits.of === 0 ? 0 : hits.interval90[1])));
  const { range, ticks } = percentAxis(most);
  const ends: PlotTick[] = [
    [0, day(first, last - first)],
    [parts.length, day(last, last - first)],
  ];
  const plot = new Plot('Hit rate of the marks and base rate over time', { x: [0, parts.length], y: range, xTicks: ends, yTicks: ticks });
  parts.forEach(({ fromUs, toUs, baseRate, hits }, i) => {
    const when = `${writeTimestamp(fromUs).slice(0, 16)} to ${writeTimestamp(toUs).slice(0, 16)}`;
    plot.bar('base', i + 0.08, i + 0.92, baseRate.share, `${when}: base rate ${rateText(baseRate)}`);
    if (hits.of > 0) plot.dot('hit', i + 0.5, hits.share, hits.interval90, `${when}: marks that came true ${rateText(hits)}`);
  });
  return plot;
}

/** Precision with its interval, and coverage, over the decision threshold. */
export function drawThreshold(points: readonly CurvePoint[], baseRate: number, decision: number | null): Plot {
  const low = points[0].threshold;
  const high = points.at(-1)!.threshold;
  const { range, ticks } = percentAxis(1);
  const plot = new Plot('Precision and coverage over the decision threshold', {
    ...{ x: [low, high], y: range, yTicks: ticks },
    xTicks: [low, (low + high) / 2, high].map((at) => [at, percentText(at)] as const),
  });
  plot.line('base-line', [
    [low, baseRate],
    [high, baseRate],
  ]);
  plot.area(
    'precision-band',
    points.map(({ threshold, precision }) => [threshold, ...precision.interval90] as const),
  );
  plot.line(
    'coverage',
    points.map(({ threshold, coverage }) => [threshold, coverage] as const),
  );
  plot.line(
    'precision',
    points.map(({ threshold, precision }) => [threshold, precision.share] as const),
  );
  if (decision !== null && decision >= low && decision <= high) plot.upright('own', decision);
  return plot;
}

/** An empty plot of what was observed over what was said, up to `most`; the diagonal is perfect. */
export function calibrationPlot(most: number): Plot {
  const { range, ticks } = percentAxis(most);
  const plot = new Plot('Calibration: fraction that moved over the probability, by tenths', {
    x: range,
    y: range,
    xTicks: ticks,
    yTicks: ticks,
  });
  plot.line('diagonal', [
    [0, 0],
    [range[1], range[1]],
  ]);
  return plot;
}

export function drawCalibration(bins: readonly CalibrationBin[]): Plot {
  const plot = calibrationPlot(Math.max(...bins.flatMap(({ mean, observed }) => [mean, observed.interval90[1]])));
  for (const { mean, observed } of bins)
    plot.dot(
      'bin',
      mean,
      observed.share,
      observed.interval90,
      `${percentText(mean)} said; ${rateText(observed)} moved, ${countText(observed.of, 'window')}`,
    );
  return plot;
}
