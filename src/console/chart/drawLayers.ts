import type uPlot from 'uplot';
import { priceText } from '../answer/describeAnswer.ts';
import { formatSpan } from '../ticks/formatTimestamp.ts';
import { bandOf, referencePrice, timesOf, type ChartView, type Level, type Colours } from './ChartView.ts';

/** CSS pixels to the right of the plot for the prices of the levels. */
export const LABEL_GUTTER = 96;
/** A narrow picture keeps the price and leaves out how often it was touched. */
export const NARROW_GUTTER = 62;
export const NARROW_PX = 520;
const LABEL_HEIGHT = 14;

type Layer = { readonly plot: uPlot; readonly view: ChartView; readonly colours: Colours; readonly ratio: number };

const xOf = ({ plot }: Layer, ms: number): number => plot.valToPos(ms, 'x', true);
const yOf = ({ plot }: Layer, price: number): number => plot.valToPos(price, 'y', true);

/** Keeps the drawing within the plot, and the state of the canvas as it was. */
function within({ plot }: Layer, draw: (context: CanvasRenderingContext2D) => void): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  draw(ctx);
  ctx.restore();
}

function write(
  layer: Layer,
  text: string,
  x: number,
  y: number,
  { colour = layer.colours.soft, align = 'left' as CanvasTextAlign } = {},
): void {
  const { ctx } = layer.plot;
  ctx.save();
  ctx.font = `${11 * layer.ratio}px system-ui, sans-serif`;
  ctx.fillStyle = colour;
  ctx.textAlign = align;
  ctx.textBaseline = 'middle';
  ctx.fillText(text, x, y);
  ctx.restore();
}

/** Writes the prices of the strongest levels; one that would overlap another is left out. */
function labelled(layer: Layer, levels: readonly Level[]): readonly Level[] {
  const taken: number[] = [];
  const { bbox } = layer.plot;
  return levels
    .toSorted((a, b) => b.touches - a.touches)
    .filter(({ price }) => {
      const y = yOf(layer, price);
      const isFree =
        y >= bbox.top && y <= bbox.top + bbox.height && taken.every((other) => Math.abs(other - y) >= LABEL_HEIGHT * layer.ratio);
      if (isFree) taken.push(y);
      return isFree;
    });
}

function labelOf({ plot }: Layer, { price, touches }: Level): string {
  // A level may lie between ticks: more digits would say nothing.
  const text = priceText(Number(price.toPrecision(7)));
  return plot.width < NARROW_PX ? text : `${text} ×${touches}`;
}

function drawLevels(layer: Layer): void {
  const { plot, view, colours, ratio } = layer;
  const right = plot.bbox.left + plot.bbox.width;
  within(layer, (ctx) => {
    for (const { price, kind, touches } of view.levels) {
      const y = Math.round(yOf(layer, price)) + 0.5;
      ctx.strokeStyle = colours[kind];
      ctx.globalAlpha = Math.min(0.9, 0.35 + touches * 0.1);
      ctx.lineWidth = 1.25 * ratio;
      ctx.setLineDash(kind === 'support' ? [7 * ratio, 4 * ratio] : [2 * ratio, 3 * ratio]);
      ctx.beginPath();
      ctx.moveTo(plot.bbox.left, y);
      ctx.lineTo(right, y);
      ctx.stroke();
    }
  });
  for (const level of labelled(layer, view.levels))
    write(layer, labelOf(layer, level), right + 6 * ratio, yOf(layer, level.price), {
      colour: colours[level.kind],
    });
}

function drawBand(layer: Layer): void {
  const { view, colours, ratio } = layer;
  const band = bandOf(view);
  if (band === null) return;
  const { entry, end } = timesOf(view);
  const [left, right] = [xOf(layer, entry), xOf(layer, end)];
  const [bottom, top] = [yOf(layer, band[0]), yOf(layer, band[1])];
  within(layer, (ctx) => {
    ctx.fillStyle = colours.band;
    ctx.globalAlpha = 0.13;
    ctx.fillRect(left, top, right - left, bottom - top);
    ctx.globalAlpha = 1;
    ctx.strokeStyle = colours.band;
    ctx.lineWidth = 1.25 * ratio;
    ctx.beginPath();
    for (const y of [top, bottom]) {
      ctx.moveTo(left, y);
      ctx.lineTo(right, y);
    }
    ctx.stroke();
  });
}

/** Below the price: what is not known yet, the band, the levels. */
export function drawBelow(layer: Layer): void {
  const { plot, view, colours } = layer;
  const from = xOf(layer, timesOf(view).last);
  within(layer, (ctx) => {
    ctx.fillStyle = colours.soft;
    ctx.globalAlpha = 0.07;
    ctx.fillRect(from, plot.bbox.top, plot.bbox.left + plot.bbox.width - from, plot.bbox.height);
  });
  drawBand(layer);
  drawLevels(layer);
}

function drawUpright(layer: Layer, ms: number, dash: readonly number[]): void {
  const { plot, colours, ratio } = layer;
  const x = Math.round(xOf(layer, ms)) + 0.5;
  within(layer, (ctx) => {
    ctx.strokeStyle = colours.soft;
    ctx.lineWidth = ratio;
    ctx.setLineDash(dash.map((length) => length * ratio));
    ctx.beginPath();
    ctx.moveTo(x, plot.bbox.top);
    ctx.lineTo(x, plot.bbox.top + plot.bbox.height);
    ctx.stroke();
  });
}

function drawMark(layer: Layer, x: number): void {
  const { plot, view, colours, ratio } = layer;
  if (view.mark === undefined) return;
  const { ctx } = plot;
  ctx.save();
  ctx.beginPath();
  ctx.arc(x, yOf(layer, referencePrice(view)), 6.5 * ratio, 0, 2 * Math.PI);
  ctx.fillStyle = view.mark === 1 ? colours.mark : colours.card;
  ctx.fill();
  ctx.strokeStyle = view.mark === 1 ? colours.card : colours.edge;
  ctx.lineWidth = 2 * ratio;
  ctx.stroke();
  ctx.restore();
}

/** From the entry's price to the last one before the future time. */
function drawMove(layer: Layer): void {
  const { view, colours, ratio } = layer;
  const { outcome, series } = view;
  if (outcome.status !== 'known' || outcome.entry === null || outcome.exit === null) return;
  within(layer, (ctx) => {
    ctx.strokeStyle = colours.ink;
    ctx.fillStyle = colours.ink;
    ctx.lineWidth = 1.25 * ratio;
    ctx.setLineDash([4 * ratio, 3 * ratio]);
    ctx.beginPath();
    const places = [outcome.entry, outcome.exit].map(
      (at) => [xOf(layer, series.timesUs[at!]! / 1000), yOf(layer, series.prices[at!]!)] as const,
    );
    for (const [x, y] of places) ctx.lineTo(x, y);
    ctx.stroke();
    for (const [x, y] of places) {
      ctx.beginPath();
      ctx.arc(x, y, 3 * ratio, 0, 2 * Math.PI);
      ctx.fill();
    }
  });
}

/** Above the price: last tick, entry and future time with their names, the mark, what came of it. */
export function drawAbove(layer: Layer): void {
  const { plot, view, ratio } = layer;
  const { last, entry, future, end } = timesOf(view);
  drawUpright(layer, last, [2, 3]);
  drawUpright(layer, entry, []);
  drawUpright(layer, end, end < future ? [1, 4] : [6, 3]);
  drawMove(layer);
  const { bbox } = plot;
  const top = bbox.top + 9 * ratio;
  const [entryX, endX] = [xOf(layer, entry), xOf(layer, end)];
  const isSeen = (x: number): boolean => x >= bbox.left && x <= bbox.left + bbox.width + 1;
  const name = end < future ? `in ${formatSpan(view.horizonMs)} →` : `+${formatSpan(view.horizonMs)}`;
  if (isSeen(entryX) && endX - entryX > 92 * ratio) write(layer, 'entry', entryX + 5 * ratio, top);
  if (isSeen(endX)) {
    // Where the line is too short for its name, the name is written before it.
    const lastX = xOf(layer, last);
    write(layer, name, (endX - lastX > 60 * ratio ? endX : lastX) - 6 * ratio, top, { align: 'right' });
    drawMark(layer, endX);
  }
}
