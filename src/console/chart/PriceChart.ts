import uPlot from 'uplot';
import { priceText } from '../answer/describeAnswer.ts';
import { writeTimestamp } from '../../ticks/timestamps.ts';
import { US_PER_MS } from '../ticks/TickSeries.ts';
import { listenToGestures } from './ChartGestures.ts';
import { bandOf, timesOf, type ChartView, readColours, type Colours } from './ChartView.ts';
import { chartData } from './chartData.ts';
import { Crosshair } from './Crosshair.ts';
import { TIME_STEPS, timeLabel } from './describeChart.ts';
import { drawAbove, drawBelow } from './drawLayers.ts';
import { FONT_PX, type Layer } from './Layer.ts';
import { drawTags, tagWidth } from './drawTags.ts';
import { tagsOf } from './tagsOf.ts';
import { digitsOf, priceDigits } from './priceDigits.ts';
import { panRange, revealTime, zoomRange, type TimeRange } from './timeRange.ts';

/** The band may take this many times the range of the prices on either side; a wider one would flatten them, and ends at the edge. */
const MAX_BAND_RATIO = 1;
const NARROW_PX = 520;
const ZOOM_STEP = 0.6;

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
  readonly #crosshair: Crosshair;
  #view: ChartView | undefined;
  #colours: Colours;
  /** Undefined: the whole window and its future. */
  #range: TimeRange | undefined;
  #startMs = 0;

  constructor(parts: ChartParts) {
    this.#parts = parts;
    this.#colours = readColours();
    this.#plot = new uPlot(this.#options(), [[], [], []], parts.box);
    this.#crosshair = new Crosshair(this.#plot.over.parentElement!);
    listenToGestures(this.#plot.over, {
      zoom: (atPx, factor) => this.#zoomAt(this.#plot.posToVal(atPx, 'x'), factor),
      pan: (byPx) =>
        this.#setRange(panRange(this.#shown, this.#whole, (-byPx / this.#plot.over.clientWidth) * (this.#shown[1] - this.#shown[0]))),
      whole: () => this.zoomOut(),
      point: (left, top) => this.#plot.setCursor({ left, top }),
      isZoomed: () => this.#range !== undefined,
    });
    new ResizeObserver(() => this.#fit()).observe(parts.box);
  }

  /** The zoom stays while the window does. */
  show(view: ChartView): void {
    const { series, from, origin, horizonMs } = this.#view ?? {};
    const isSame = series === view.series && from === view.from && origin === view.origin && horizonMs === view.horizonMs;
    this.#view = view;
    if (!isSame) this.#range = undefined;
    this.#startMs = performance.now();
    this.#plot.batch(() => {
      this.#plot.setData(chartData(view));
      // The width of the axis depends on its tags, not only on its scale.
      this.#plot.redraw(false, true);
    });
    this.#parts.onZoom(this.#range !== undefined);
  }

  recolour(): void {
    this.#colours = readColours();
    this.#plot.redraw(false, true);
  }

  zoomOut(): void {
    this.#setRange(this.#whole);
  }

  /** One step nearer or further, around the crosshair or else the last tick. */
  zoom(way: 'in' | 'out'): void {
    if (this.#view === undefined) return;
    const { idx } = this.#plot.cursor;
    const at = typeof idx === 'number' ? this.#plot.data[0]?.[idx] : undefined;
    this.#zoomAt(at ?? timesOf(this.#view).last, way === 'in' ? ZOOM_STEP : 1 / ZOOM_STEP);
  }

  /** Puts the crosshair on a tick of the window, counted from its first, and brings it into the picture. */
  read(index: number): void {
    const [times, prices] = this.#plot.data;
    const ms = times[index];
    if (ms === undefined) return;
    this.#setRange(revealTime(this.#shown, this.#whole, ms));
    this.#plot.setCursor({ left: this.#plot.valToPos(ms, 'x'), top: this.#plot.valToPos(prices?.[index] ?? 0, 'y') });
  }

  readText(index: number): string {
    const [times, own, after] = this.#plot.data;
    const ms = times[index];
    const price = own?.[index] ?? after?.[index];
    if (ms === undefined || price === undefined || price === null) return '';
    return `${writeTimestamp(Math.round(ms * US_PER_MS))}  ${priceText(price)}`;
  }

  get #whole(): TimeRange {
    if (this.#view === undefined) return [0, 1];
    const { first, end } = timesOf(this.#view);
    return [first, end + (end - first) * 0.015];
  }

  get #shown(): TimeRange {
    return this.#range ?? this.#whole;
  }

  #zoomAt(ms: number, factor: number): boolean {
    return this.#setRange(zoomRange(this.#shown, this.#whole, ms, factor));
  }

  /** Whether the range differs from the one before. */
  #setRange(range: TimeRange): boolean {
    const [from, to] = this.#shown;
    if (range[0] === from && range[1] === to) return false;
    const [first, end] = this.#whole;
    this.#range = range[0] <= first && range[1] >= end ? undefined : range;
    // At once, not after this task: places are computed from the new scale.
    this.#plot.batch(() => this.#plot.setScale('x', { min: range[0], max: range[1] }));
    this.#parts.onZoom(this.#range !== undefined);
    this.#plot.over.toggleAttribute('data-zoomed', this.#range !== undefined);
    return true;
  }

  #fit(): void {
    const { clientWidth: width, clientHeight: height } = this.#parts.box;
    if (width > 0 && height > 0) this.#plot.setSize({ width, height });
  }

  get #isNarrow(): boolean {
    return this.#plot.width < NARROW_PX;
  }

  #options(): uPlot.Options {
    const { clientWidth: width, clientHeight: height } = this.#parts.box;
    const steps = uPlot.paths.stepped!({ align: 1 });
    const axis = {
      stroke: () => this.#colours.soft,
      font: `${FONT_PX}px system-ui, sans-serif`,
      grid: { stroke: () => this.#colours.grid, width: 1 },
      ticks: { show: false },
    };
    const hidden = { show: false } as const;
    return {
      width: width || 600,
      height: height || 300,
      padding: [8, 0, 0, 4],
      legend: hidden,
      cursor: { drag: { x: false, y: false, setScale: false }, points: { size: 7 } },
      scales: {
        x: { time: false, range: () => [...this.#shown] },
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
        {
          ...axis,
          side: 1,
          gap: 10,
          size: ({ ctx }, values) => tagWidth(ctx, [...(values ?? []), ...this.#tags().map(({ text }) => text)]),
          values: (_, splits) => {
            const digits = Math.max(...splits.map(digitsOf));
            return splits.map((price) => price.toFixed(digits));
          },
        },
      ],
      series: [
        {},
        { stroke: () => this.#colours.price, width: 1.5, paths: steps, points: hidden },
        { stroke: () => this.#colours.after, width: 1.5, paths: steps, points: hidden },
      ],
      hooks: {
        drawClear: [(plot) => this.#with(plot, drawBelow)],
        draw: [
          (plot) => this.#with(plot, drawAbove),
          (plot) => this.#with(plot, (layer) => drawTags(layer, this.#tags())),
          () => this.#measure(),
        ],
        setCursor: [(plot) => this.#point(plot)],
      },
    };
  }

  #tags() {
    return this.#view === undefined ? [] : tagsOf(this.#view, this.#colours, this.#isNarrow);
  }

  /** The crosshair and the text of the tick under it. */
  #point({ cursor, over }: uPlot): void {
    // uPlot sets its cursor once before the first window is shown.
    if (this.#view === undefined) return;
    const { idx, left = -1, top = -1 } = cursor;
    const text = typeof idx === 'number' ? this.readText(idx) : '';
    this.#parts.onRead(text);
    if (text === '' || left < 0) {
      this.#crosshair.hide();
      return;
    }
    const ms = this.#plot.posToVal(left, 'x');
    const { series, from, origin } = this.#view;
    const price = this.#plot.posToVal(top, 'y').toFixed(priceDigits(series.prices, from, origin));
    this.#crosshair.show({ left, top, time: writeTimestamp(Math.round(ms) * US_PER_MS).slice(11), price }, over);
  }

  #with(plot: uPlot, draw: (layer: Layer) => void): void {
    if (this.#view !== undefined) draw({ plot, view: this.#view, colours: this.#colours, ratio: uPlot.pxRatio });
  }

  /** Records the time from new ticks to the finished picture as a performance entry of the page. */
  #measure(): void {
    if (this.#startMs === 0) return;
    performance.measure('tickmark.draw', { start: this.#startMs, end: performance.now() });
    this.#startMs = 0;
  }

  #priceRange(min: number | null, max: number | null): uPlot.Range.MinMax {
    if (min === null || max === null || this.#view === undefined) return [0, 1];
    const span = Math.max(max - min, max * 1e-5);
    const isFuture = this.#shown[1] > timesOf(this.#view).entry;
    const [cone] = this.#view.ranges;
    const edges = isFuture ? [...(bandOf(this.#view) ?? []), ...(cone === undefined ? [] : [cone.low, cone.high])] : [];
    const band = edges.length === 0 ? null : [Math.min(...edges), Math.max(...edges)];
    const low = band === null ? min : Math.max(Math.min(min, band[0]!), min - span * MAX_BAND_RATIO);
    const high = band === null ? max : Math.min(Math.max(max, band[1]!), max + span * MAX_BAND_RATIO);
    const margin = (high - low || span) * 0.07;
    return [low - margin, high + margin];
  }
}
