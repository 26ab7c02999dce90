import uPlot from 'uplot';
import { priceText } from '../answer/describeAnswer.ts';
import { formatTimestamp } from '../ticks/formatTimestamp.ts';
import { thinTicks } from '../ticks/stepWindow.ts';
import { US_PER_MS } from '../ticks/TickSeries.ts';
import { bandOf, timesOf, type ChartView, readColours, type Colours } from './ChartView.ts';
import { drawAbove, drawBelow, LABEL_GUTTER, NARROW_GUTTER, NARROW_PX } from './drawLayers.ts';
import { TIME_STEPS, timeLabel } from './describeChart.ts';

/** A band wider than this many times the price range would flatten the prices: it is clipped instead. */
const MAX_BAND_RATIO = 3;
/** The most ticks drawn after the window: a whole day would block the page. */
const MAX_AFTER = 4000;

export type ChartParts = {
  readonly box: HTMLElement;
  /** Called with a text for the tick under the pointer; empty where there is none. */
  readonly onRead: (text: string) => void;
  readonly onZoom: (isZoomed: boolean) => void;
};

/** Draws one window: its price as steps over irregular milliseconds, and the answer. */
export class PriceChart {
  readonly #parts: ChartParts;
  readonly #plot: uPlot;
  #view: ChartView | undefined;
  #colours: Colours;
  #startMs = 0;

  constructor(parts: ChartParts) {
    this.#parts = parts;
    this.#colours = readColours();
    this.#plot = new uPlot(this.#options(), [[], [], []], parts.box);
    new ResizeObserver(() => this.#fit()).observe(parts.box);
  }

  show(view: ChartView): void {
    this.#view = view;
    this.#startMs = performance.now();
    this.#plot.setData(this.#dataOf(view));
  }

  recolour(): void {
    this.#colours = readColours();
    this.#plot.redraw(false, true);
  }

  zoomOut(): void {
    if (this.#view !== undefined) this.show(this.#view);
  }

  /** Puts the cursor on a tick of the window, counted from its first. */
  read(index: number): void {
    const [times, prices] = this.#plot.data;
    const left = this.#plot.valToPos(times[index] ?? 0, 'x');
    this.#plot.setCursor({ left, top: this.#plot.valToPos(prices?.[index] ?? 0, 'y') });
  }

  readText(index: number): string {
    const [times, own, after] = this.#plot.data;
    const ms = times[index];
    const price = own?.[index] ?? after?.[index];
    if (ms === undefined || price === undefined || price === null) return '';
    return `${formatTimestamp(Math.round(ms * US_PER_MS))}  ${priceText(price)}`;
  }

  #dataOf(view: ChartView): uPlot.AlignedData {
    const { series, from, origin, outcome } = view;
    const end = outcome.status === 'known' && outcome.exit !== null ? Math.max(outcome.exit, origin) : origin;
    const afterwards = thinTicks(series.prices, origin + 1, end, MAX_AFTER);
    const sent = origin + 1 - from;
    const count = sent + afterwards.length;
    const [times, own, after] = [new Float64Array(count), new Array<number | null>(count), new Array<number | null>(count)];
    for (let i = 0; i < count; i++) {
      const at = i < sent ? from + i : afterwards[i - sent]!;
      times[i] = series.timesUs[at]! / US_PER_MS;
      own[i] = at <= origin ? series.prices[at]! : null;
      // From the last tick sent on, so that both lines meet.
      after[i] = at >= origin && end > origin ? series.prices[at]! : null;
    }
    return [times, own, after] as unknown as uPlot.AlignedData;
  }

  #fit(): void {
    const { clientWidth: width, clientHeight: height } = this.#parts.box;
    if (width > 0 && height > 0) this.#plot.setSize({ width, height });
  }

  #layer(plot: uPlot) {
    return this.#view === undefined ? null : { plot, view: this.#view, colours: this.#colours, ratio: uPlot.pxRatio };
  }

  #options(): uPlot.Options {
    const { clientWidth: width, clientHeight: height } = this.#parts.box;
    const steps = uPlot.paths.stepped!({ align: 1 });
    const axis = {
      stroke: () => this.#colours.soft,
      font: '11px system-ui, sans-serif',
      grid: { stroke: () => this.#colours.grid, width: 1 },
      ticks: { show: false },
    };
    const hidden = { show: false } as const;
    return {
      width: width || 600,
      height: height || 300,
      padding: [8, ({ width: now }) => (now < NARROW_PX ? NARROW_GUTTER : LABEL_GUTTER), 0, 0],
      legend: hidden,
      cursor: { y: false, drag: { x: true, y: false, setScale: true }, points: { size: 7 } },
      scales: {
        x: { time: false, range: (_, min, max) => this.#timeRange(min, max) },
        y: { range: (_, min, max) => this.#priceRange(min, max) },
      },
      axes: [
        {
          ...axis,
          size: 30,
          incrs: TIME_STEPS,
          space: ({ width: now }) => (now < NARROW_PX ? 60 : 90),
          values: (_, splits, __, ___, step) => splits.map((ms) => timeLabel(ms, step)),
        },
        { ...axis, size: ({ width: now }) => (now < NARROW_PX ? 54 : 68), values: (_, splits) => splits.map((price) => priceText(price)) },
      ],
      series: [
        {},
        { stroke: () => this.#colours.price, width: 1.5, paths: steps, points: hidden },
        { stroke: () => this.#colours.after, width: 1.5, paths: steps, points: hidden },
      ],
      hooks: {
        drawClear: [(plot) => this.#with(plot, drawBelow)],
        draw: [(plot) => this.#with(plot, drawAbove), () => this.#measure()],
        setCursor: [(plot) => this.#parts.onRead(typeof plot.cursor.idx === 'number' ? this.readText(plot.cursor.idx) : '')],
        setScale: [(plot, scale) => scale === 'x' && this.#parts.onZoom(this.#isZoomed(plot))],
      },
    };
  }

  #isZoomed({ scales }: uPlot): boolean {
    if (this.#view === undefined) return false;
    const { first, end } = timesOf(this.#view);
    return (scales['x']?.min ?? first) > first || (scales['x']?.max ?? end) < end;
  }

  #with(plot: uPlot, draw: (layer: Parameters<typeof drawBelow>[0]) => void): void {
    const layer = this.#layer(plot);
    if (layer !== null) draw(layer);
  }

  /** Records the time from new ticks to the finished picture as a performance entry of the page. */
  #measure(): void {
    if (this.#startMs === 0) return;
    performance.measure('tickmark.draw', { start: this.#startMs, end: performance.now() });
    this.#startMs = 0;
  }

  /** The whole window and its future; a range selected by dragging is kept. */
  #timeRange(min: number, max: number): uPlot.Range.MinMax {
    if (this.#view === undefined) return [0, 1];
    const { first, last, end } = timesOf(this.#view);
    const isWhole = min === this.#plot.data[0]?.[0] && (max === last || max === this.#plot.data[0]?.at(-1));
    return isWhole ? [first, end + (end - first) * 0.015] : [min, max];
  }

  #priceRange(min: number | null, max: number | null): uPlot.Range.MinMax {
    if (min === null || max === null || this.#view === undefined) return [0, 1];
    const span = Math.max(max - min, max * 1e-5);
    const band = bandOf(this.#view);
    const low = band === null ? min : Math.max(Math.min(min, band[0]), min - span * MAX_BAND_RATIO);
    const high = band === null ? max : Math.min(Math.max(max, band[1]), max + span * MAX_BAND_RATIO);
    const margin = (high - low || span) * 0.07;
    return [low - margin, high + margin];
  }
}
