import { countText, percentText } from '../answer/describeAnswer.ts';
import { writeTimestamp } from '../../ticks/timestamps.ts';
import type { CalibrationBin, CurvePoint, Part, Rate } from './curves.ts';

const SVG = 'http://www.w3.org/2000/svg';
/** User units, near CSS pixels where three plots stand side by side. */
const WIDTH = 320;
const HEIGHT = 208;
const MARGIN = { left: 40, right: 10, top: 10, bottom: 26 };

type Attributes = Readonly<Record<string, string | number>>;

function shape(tag: string, attributes: Attributes, text?: string): SVGElement {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes))
    made.setAttribute(name, String(typeof value === 'number' ? Number(value.toFixed(2)) : value));
  if (text !== undefined) made.textContent = text;
  return made;
}

type PlotTick = readonly [at: number, label: string];

export type PlotAxes = {
  readonly x: readonly [number, number];
  readonly y: readonly [number, number];
  readonly xTicks: readonly PlotTick[];
  readonly yTicks: readonly PlotTick[];
};

/** A small chart as SVG. Classes carry the colours, so that it follows the colour scheme; the picture has its text as a label. */
export class Plot {
  readonly svg: SVGElement;
  readonly #axes: PlotAxes;

  constructor(label: string, axes: PlotAxes) {
    this.#axes = axes;
    this.svg = shape('svg', { class: 'plot', viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': label });
    const [left, right] = [MARGIN.left, WIDTH - MARGIN.right];
    for (const [at, text] of axes.yTicks) {
      const y = this.#y(at);
      this.svg.append(
        shape('line', { class: 'grid', x1: left, x2: right, y1: y, y2: y }),
        shape('text', { class: 'tick', x: left - 6, y: y + 4, 'text-anchor': 'end' }, text),
      );
    }
    axes.xTicks.forEach(([at, text], i) => {
      const anchor = i === 0 ? 'start' : i === axes.xTicks.length - 1 ? 'end' : 'middle';
      this.svg.append(shape('text', { class: 'tick', x: this.#x(at), y: HEIGHT - 8, 'text-anchor': anchor }, text));
    });
  }

  #x(value: number): number {
    const [low, high] = this.#axes.x;
    return MARGIN.left + ((value - low) / (high - low || 1)) * (WIDTH - MARGIN.left - MARGIN.right);
  }

  #y(value: number): number {
    const [low, high] = this.#axes.y;
    return HEIGHT - MARGIN.bottom - ((value - low) / (high - low || 1)) * (HEIGHT - MARGIN.top - MARGIN.bottom);
  }

  line(name: string, points: readonly (readonly [number, number])[]): void {
    const path = points.map(([x, y], i) => `${i === 0 ? 'M' : 'L'}${this.#x(x).toFixed(1)} ${this.#y(y).toFixed(1)}`).join('');
    this.svg.append(shape('path', { class: name, d: path }));
  }

  /** The area between two curves over the same places. */
  area(name: string, points: readonly (readonly [x: number, low: number, high: number])[]): void {
    const there = points.map(([x, , high]) => `${this.#x(x).toFixed(1)} ${this.#y(high).toFixed(1)}`);
    const back = points.toReversed().map(([x, low]) => `${this.#x(x).toFixed(1)} ${this.#y(low).toFixed(1)}`);
    if (points.length > 1) this.svg.append(shape('path', { class: name, d: `M${[...there, ...back].join('L')}Z` }));
  }

  bar(name: string, from: number, to: number, height: number, title: string): void {
    const [left, right, top, bottom] = [this.#x(from), this.#x(to), this.#y(height), this.#y(this.#axes.y[0])];
    const drawn = shape('rect', { class: name, x: left, width: Math.max(1, right - left), y: top, height: Math.max(0, bottom - top) });
    drawn.append(shape('title', {}, title));
    this.svg.append(drawn);
  }

  /** A dot with the interval that it stands in. */
  dot(name: string, x: number, y: number, [low, high]: readonly [number, number], title: string): void {
    const at = this.#x(x);
    const dot = shape('circle', { class: name, cx: at, cy: this.#y(y), r: 4 });
    dot.append(shape('title', {}, title));
    this.svg.append(shape('line', { class: `${name} whisker`, x1: at, x2: at, y1: this.#y(low), y2: this.#y(high) }), dot);
  }

  upright(name: string, x: number): SVGElement {
    const drawn = shape('line', { class: name, x1: 0, x2: 0, y1: MARGIN.top, y2: HEIGHT - MARGIN.bottom });
    this.svg.append(drawn);
    this.move(drawn, x);
    return drawn;
  }

  move(upright: SVGElement, x: number): void {
    for (const name of ['x1', 'x2']) upright.setAttribute(name, this.#x(x).toFixed(1));
  }
}

/** At most five ticks of a fraction from 0 up, and the end of the axis: 100 %, or the next round fraction above `most`. */
function percentAxis(most: number): { readonly range: readonly [number, number]; readonly ticks: readonly PlotTick[] } {
  const step = [0.01, 0.02, 0.05, 0.1, 0.2, 0.25].find((each) => most <= each * 4) ?? 0.25;
  const end = Math.min(1, Math.max(step, Math.ceil(most / step - 1e-9) * step));
  const ticks: PlotTick[] = [];
  for (let i = 0; i * step <= end + 1e-9; i++) ticks.push([i * step, `${Math.round(i * step * 100)} %`]);
  return { range: [0, end], ticks };
}

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
