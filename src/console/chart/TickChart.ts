import { lastAtOrBefore } from '../../ticks/searchTimes.ts';
import { BPS_PER_UNIT, US_PER_MS } from '../ticks/TickSeries.ts';
import { formatClock } from '../ticks/timeText.ts';
import { listenToGestures } from './ChartGestures.ts';
import { readColours } from './Layer.ts';
import { Crosshair } from './Crosshair.ts';
import { drawScene, visibleTicks } from './drawScene.ts';
import { axisWidth, drawPriceAxis, drawTimeAxis, FONT, tagsOf } from './drawTags.ts';
import { LevelHandle } from './LevelHandle.ts';
import { priceDigits } from './priceDigits.ts';
import { PriceScale } from './PriceScale.ts';
import { bandOf, type Earlier, msOf, type Scene } from './Scene.ts';
import { panRange, revealTime, zoomRange, type TimeRange, TimeScale } from './TimeScale.ts';

/** Band and ranges may take this many times the range of the prices on either side; wider ones would flatten them, and end at the edge. */
const MAX_BAND_RATIO = 1;
const NARROW_PX = 520;
const ZOOM_STEP = 0.6;
const TOP_PX = 8;
const TIME_AXIS_PX = 26;

type Place = { readonly x: number; readonly y: number };

const NONE: Earlier = { cones: [], marks: [] };

export type ChartParts = {
  readonly box: HTMLElement;
  /** The text of a tick, for its reader. */
  readonly textOf: (at: number) => string;
  /** Called with the text of the tick under the pointer; empty where there is none. */
  readonly onRead: (text: string) => void;
  /** Switches between candles and a line. */
  readonly candles: HTMLButtonElement;
  /** Called with the price of the level when it is moved; absent: there is none. */
  readonly onLevel?: (price: number) => void;
  /** Called when the part that is shown changes. `isMoved`: it is not the one that a new scene shows. */
  readonly onMove?: (isMoved: boolean) => void;
};

/** Draws a scene on a canvas, lets the hands and the keyboard zoom, move and read it. */
export class TickChart {
  readonly #parts: ChartParts;
  readonly #canvas = document.createElement('canvas');
  readonly #ctx: CanvasRenderingContext2D;
  readonly #crosshair: Crosshair;
  readonly #level: LevelHandle | undefined;
  #scene: Scene | undefined;
  #colours = readColours();
  /** Undefined: as the scene says, up to the last tick. */
  #spanMs: number | undefined;
  #toMs: number | undefined;
  #time = new TimeScale([0, 1], [1, 2], { left: 0, width: 1 });
  #price = new PriceScale([0, 1], { top: 0, height: 1 });
  #earlier = NONE;
  #isCandles = false;
  /** The place of the pointer, or the tick that the keyboard reads. */
  #cursor: Place | number | undefined;

  constructor(parts: ChartParts) {
    this.#parts = parts;
    const { box } = parts;
    box.append(this.#canvas);
    this.#ctx = this.#canvas.getContext('2d')!;
    this.#crosshair = new Crosshair(box);
    this.#level = parts.onLevel && new LevelHandle(box, parts.onLevel);
    const at = (cursor: Place | undefined): void => {
      this.#cursor = cursor;
      this.#point();
    };
    parts.candles.addEventListener('click', () => {
      this.#isCandles = !this.#isCandles;
      parts.candles.setAttribute('aria-pressed', String(this.#isCandles));
      this.#draw();
    });
    listenToGestures(box, {
      zoom: (x, factor) => this.#zoomAt(this.#time.msAt(Math.min(x, this.#time.boundary)), factor),
      pan: (byPx) => this.#setRange(panRange(this.#shown, this.#whole, -byPx * this.#time.msPerPx)),
      reset: () => this.reset(),
      point: (x, y) => at({ x, y }),
      leave: () => at(undefined),
      canPan: () => this.#shown[0] > this.#whole[0] || this.#shown[1] < this.#whole[1],
    });
    box.addEventListener('keydown', (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || !this.#press(event)) return;
      event.preventDefault();
      event.stopPropagation();
    });
    box.addEventListener('blur', () => at(undefined));
    new ResizeObserver(() => this.#draw()).observe(box);
  }

  /** `isOther`: of other ticks than the scene before, whose zoom does not stay. */
  show(scene: Scene, { isOther = false } = {}): void {
    this.#scene = scene;
    if (isOther) this.#setUsual();
    const startMs = performance.now();
    this.#draw();
    performance.measure('tickmark.draw', { start: startMs });
  }

  /** Nothing to draw. */
  clear(): void {
    this.#scene = undefined;
    this.#earlier = NONE;
  }

  /** Earlier forecasts in the picture. */
  get earlier(): Earlier {
    return this.#earlier;
  }

  recolour(): void {
    this.#colours = readColours();
    this.#draw();
  }

  /** What is shown, for a later `zoomTo`; empty: what the scene says. */
  get zoomed(): string {
    return this.#spanMs === undefined && this.#toMs === undefined ? '' : this.#shown.map(Math.round).join('-');
  }

  /** @param zoomed as of `zoomed`; anything else changes nothing */
  zoomTo(zoomed: string): void {
    const [, from, to] = /^(\d+)-(\d+)$/.exec(zoomed) ?? [];
    if (from !== undefined) this.#setRange(panRange([Number(from), Number(to)], this.#whole, 0));
  }

  /** What the scene says. */
  reset(): void {
    this.#setUsual();
    this.#draw();
  }

  #setUsual(): void {
    this.#spanMs = this.#toMs = undefined;
    this.#parts.onMove?.(false);
  }

  /** One step nearer or further, around the last tick that is shown. */
  zoom(way: 'in' | 'out'): void {
    this.#zoomAt(this.#shown[1], way === 'in' ? ZOOM_STEP : 1 / ZOOM_STEP);
  }

  get #lastMs(): number {
    return this.#scene === undefined ? 1 : msOf(this.#scene.series, this.#scene.last);
  }

  get #whole(): TimeRange {
    if (this.#scene === undefined) return [0, 1];
    const { series, from, spanMs } = this.#scene;
    return [Math.min(msOf(series, from), this.#lastMs - spanMs), this.#lastMs];
  }

  get #shown(): TimeRange {
    const spanMs = this.#spanMs ?? this.#scene?.spanMs ?? 1;
    const to = this.#toMs ?? this.#lastMs;
    return panRange([to - spanMs, to], this.#whole, 0);
  }

  #zoomAt(ms: number, factor: number): boolean {
    return this.#setRange(zoomRange(this.#shown, this.#whole, ms, factor));
  }

  /** Whether the range differs from the one before. */
  #setRange([from, to]: TimeRange): boolean {
    const shown = this.#shown;
    if (from === shown[0] && to === shown[1]) return false;
    const spanMs = to - from;
    // Up to the last tick, the chart follows it.
    this.#toMs = to < this.#lastMs ? to : undefined;
    this.#spanMs = this.#toMs === undefined && Math.abs(spanMs - (this.#scene?.spanMs ?? 0)) < 1 ? undefined : spanMs;
    this.#parts.onMove?.(this.#spanMs !== undefined || this.#toMs !== undefined);
    this.#draw();
    return true;
  }

  /** Keys of a slider, and those of charts. Returns whether the key has a meaning. */
  #press({ key, shiftKey }: KeyboardEvent): boolean {
    const scene = this.#scene;
    if (scene === undefined) return false;
    const at = typeof this.#cursor === 'number' ? this.#cursor : scene.last;
    const by = shiftKey ? 10 : 1;
    const half = (this.#shown[1] - this.#shown[0]) / 2;
    const reads: Readonly<Record<string, number>> = { ArrowLeft: at - by, ArrowRight: at + by, Home: scene.from, End: scene.last };
    if (reads[key] !== undefined) this.#read(Math.min(Math.max(reads[key], scene.from), scene.last));
    else if (key === '+' || key === 'ArrowUp') this.zoom('in');
    else if (key === '-' || key === 'ArrowDown') this.zoom('out');
    else if (key === 'PageUp' || key === 'PageDown') this.#setRange(panRange(this.#shown, this.#whole, key === 'PageUp' ? -half : half));
    else if (key === '0') this.reset();
    else return false;
    return true;
  }

  /** Puts the crosshair on a tick, and brings it into the picture. */
  #read(at: number): void {
    const { series, from, last } = this.#scene!;
    this.#cursor = at;
    if (!this.#setRange(revealTime(this.#shown, this.#whole, msOf(series, at)))) this.#point();
    const { box } = this.#parts;
    box.ariaValueMin = '0';
    box.ariaValueMax = String(last - from);
    box.ariaValueNow = String(at - from);
    box.ariaValueText = this.#parts.textOf(at);
  }

  #point(): void {
    const scene = this.#scene;
    const cursor = this.#cursor;
    const place =
      typeof cursor === 'number' && scene !== undefined
        ? { x: this.#time.xOf(msOf(scene.series, cursor)), y: this.#price.yOf(scene.series.prices[cursor]) }
        : (cursor as Place | undefined);
    const { left, right } = this.#time;
    if (scene === undefined || place === undefined || place.x < left || place.x > right || place.y > this.#price.bottom) {
      this.#crosshair.hide();
      this.#parts.onRead('');
      return;
    }
    const { series, from, last, outcome } = scene;
    const ms = this.#time.msAt(place.x);
    const end = outcome.status === 'known' ? Math.max(last, outcome.exit ?? last) : last;
    this.#crosshair.show({
      ...place,
      ...{ right, bottom: this.#price.bottom, width: this.#parts.box.clientWidth },
      time: formatClock(Math.round(ms) * US_PER_MS),
      price: this.#price.priceAt(place.y).toFixed(priceDigits(series.prices, from, last)),
    });
    const at =
      typeof cursor === 'number' ? cursor : Math.max(from, lastAtOrBefore(series.timesUs.subarray(0, end + 1), ms * US_PER_MS, from));
    this.#parts.onRead(this.#parts.textOf(at));
  }

  #draw(): void {
    const { clientWidth: width, clientHeight: height } = this.#parts.box;
    const scene = this.#scene;
    if (scene === undefined || width === 0 || height === 0) return;
    const ratio = globalThis.devicePixelRatio || 1;
    const [columns, rows] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (this.#canvas.width !== columns || this.#canvas.height !== rows) {
      this.#canvas.width = columns;
      this.#canvas.height = rows;
    }
    const ctx = this.#ctx;
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    ctx.clearRect(0, 0, width, height);
    ctx.font = FONT;
    ctx.textBaseline = 'middle';
    ctx.lineWidth = 1;
    const isNarrow = width < NARROW_PX;
    const tags = tagsOf(scene, this.#colours);
    const plot = {
      left: 0,
      width: Math.max(
        1,
        width -
          axisWidth(
            ctx,
            tags.map(({ text }) => text),
          ),
      ),
    };
    this.#time = new TimeScale(this.#shown, [this.#lastMs, this.#lastMs + scene.horizonMs], plot);
    this.#price = new PriceScale(this.#priceRange(scene), { top: TOP_PX, height: Math.max(1, height - TOP_PX - TIME_AXIS_PX) });
    this.#earlier = scene.earlier?.(...visibleTicks(scene, this.#time)) ?? NONE;
    const layer = {
      ctx,
      scene,
      earlier: this.#earlier,
      time: this.#time,
      price: this.#price,
      colours: this.#colours,
      isCandles: this.#isCandles,
      isNarrow,
    };
    drawScene(layer);
    drawPriceAxis(layer, tags);
    drawTimeAxis(layer);
    const { series, from, last, level } = scene;
    this.#level?.show(level && { level, time: this.#time, price: this.#price, digits: priceDigits(series.prices, from, last) });
    this.#point();
  }

  /** The prices that are shown, with what comes after them as far as they stay legible. */
  #priceRange(scene: Scene): readonly [number, number] {
    const { series, cones, outcome, last } = scene;
    const [from, to] = visibleTicks(scene, this.#time);
    let [min, max] = [Infinity, -Infinity];
    for (let at = from; at <= to; at++) {
      const price = series.prices[at];
      if (price < min) min = price;
      if (price > max) max = price;
    }
    const span = Math.max(max - min, max * (1 / BPS_PER_UNIT) * 0.1);
    const after = outcome.status === 'known' ? series.prices.subarray(last, (outcome.exit ?? last) + 1) : [];
    const wanted = [...(bandOf(scene) ?? []), ...cones.slice(0, 1).flatMap(({ low, high }) => [low, high])];
    for (const price of after) wanted.push(price);
    const low = Math.max(Math.min(min, ...wanted), min - span * MAX_BAND_RATIO);
    const high = Math.min(Math.max(max, ...wanted), max + span * MAX_BAND_RATIO);
    const margin = (high - low || span) * 0.07;
    return [low - margin, high + margin];
  }
}
