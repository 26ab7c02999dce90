import { bpsText } from '../answer/describeAnswer.ts';
import { formatSpan } from '../ticks/timeText.ts';
import { withinPlot } from './withinPlot.ts';
import { bandOf, timesOf } from './ChartView.ts';
import { drawCone } from './drawCone.ts';
import { fontOf, type Layer, xOf, yOf } from './Layer.ts';

function write(layer: Layer, text: string, x: number, y: number, align: CanvasTextAlign = 'left'): void {
  withinPlot(layer.plot, (ctx) => {
    ctx.font = fontOf(layer.ratio);
    ctx.fillStyle = layer.colours.soft;
    ctx.textAlign = align;
    ctx.textBaseline = 'middle';
    ctx.fillText(text, x, y);
  });
}

function drawLevels(layer: Layer): void {
  const { plot, view, colours, ratio } = layer;
  withinPlot(layer.plot, (ctx) => {
    for (const { price, kind, touches } of view.levels) {
      const y = Math.round(yOf(layer, price)) + 0.5;
      ctx.strokeStyle = colours[kind];
      ctx.globalAlpha = Math.min(0.9, 0.35 + touches * 0.1);
      ctx.lineWidth = 1.25 * ratio;
      ctx.setLineDash(kind === 'support' ? [7 * ratio, 4 * ratio] : [2 * ratio, 3 * ratio]);
      ctx.beginPath();
      ctx.moveTo(plot.bbox.left, y);
      ctx.lineTo(plot.bbox.left + plot.bbox.width, y);
      ctx.stroke();
    }
  });
}

/** The band from the entry to the future time. An edge outside of the picture is shown as a row of arrows towards it. */
function drawBand(layer: Layer): void {
  const { plot, view, colours, ratio } = layer;
  const band = bandOf(view);
  if (band === null) return;
  const { entry, end } = timesOf(view);
  const { bbox } = plot;
  const [left, right] = [xOf(layer, entry), xOf(layer, end)];
  const [bottom, top] = [yOf(layer, band[0]), yOf(layer, band[1])];
  withinPlot(layer.plot, (ctx) => {
    ctx.fillStyle = colours.band;
    ctx.globalAlpha = 0.12;
    ctx.fillRect(left, top, right - left, bottom - top);
    ctx.globalAlpha = 1;
    ctx.strokeStyle = colours.band;
    ctx.lineWidth = 1.5 * ratio;
    ctx.beginPath();
    for (const y of [top, bottom]) {
      ctx.moveTo(left, y);
      ctx.lineTo(right, y);
    }
    ctx.stroke();
    const step = 14 * ratio;
    const arrow = 4 * ratio;
    for (const [isOutside, y, way] of [
      [top < bbox.top, bbox.top + 2 * ratio, 1],
      [bottom > bbox.top + bbox.height, bbox.top + bbox.height - 2 * ratio, -1],
    ] as const)
      for (let x = left + step / 2; isOutside && x < right; x += step) {
        ctx.beginPath();
        ctx.moveTo(x - arrow, y + way * arrow);
        ctx.lineTo(x, y);
        ctx.lineTo(x + arrow, y + way * arrow);
        ctx.stroke();
      }
  });
  const label = `±${bpsText(view.minMoveBps ?? 0)}`;
  if (Math.min(right, bbox.left + bbox.width) - left > 64 * ratio)
    write(layer, label, left + 6 * ratio, Math.min(Math.max(top, bbox.top), bbox.top + bbox.height) + 34 * ratio);
}

/** Below the price: what is not known yet, the ranges, the band, the levels. */
export function drawBelow(layer: Layer): void {
  const { plot, view, colours } = layer;
  const from = xOf(layer, timesOf(view).last);
  withinPlot(layer.plot, (ctx) => {
    ctx.fillStyle = colours.soft;
    ctx.globalAlpha = 0.07;
    ctx.fillRect(from, plot.bbox.top, plot.bbox.left + plot.bbox.width - from, plot.bbox.height);
  });
  drawCone(layer);
  drawBand(layer);
  drawLevels(layer);
}

function drawUpright(layer: Layer, ms: number, dash: readonly number[]): void {
  const { plot, colours, ratio } = layer;
  const x = Math.round(xOf(layer, ms)) + 0.5;
  withinPlot(layer.plot, (ctx) => {
    ctx.strokeStyle = colours.soft;
    ctx.lineWidth = ratio;
    ctx.setLineDash(dash.map((length) => length * ratio));
    ctx.beginPath();
    ctx.moveTo(x, plot.bbox.top);
    ctx.lineTo(x, plot.bbox.top + plot.bbox.height);
    ctx.stroke();
  });
}

/** The last price as a line to the axis: where the price is now. */
function drawLastPrice(layer: Layer): void {
  const { plot, view, colours, ratio } = layer;
  const y = Math.round(yOf(layer, view.series.prices[view.origin]!)) + 0.5;
  withinPlot(layer.plot, (ctx) => {
    ctx.strokeStyle = colours.price;
    ctx.globalAlpha = 0.7;
    ctx.lineWidth = ratio;
    ctx.setLineDash([ratio, 2 * ratio]);
    ctx.beginPath();
    ctx.moveTo(xOf(layer, timesOf(view).last), y);
    ctx.lineTo(plot.bbox.left + plot.bbox.width, y);
    ctx.stroke();
  });
}

/** From the entry's price to the last one before the future time. */
function drawMove(layer: Layer): void {
  const { view, colours, ratio } = layer;
  const { outcome, series } = view;
  if (outcome.status !== 'known' || outcome.entry === null || outcome.exit === null) return;
  withinPlot(layer.plot, (ctx) => {
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

/** The name of the future time as a label on its line: filled and with an arrow both ways for an identified opportunity. It names no price. */
function drawFutureLabel(layer: Layer, x: number): void {
  const { plot, view, colours, ratio } = layer;
  const { future, end } = timesOf(view);
  const { ctx, bbox } = plot;
  const span = end < future ? `in ${formatSpan(view.horizonMs)} →` : `+${formatSpan(view.horizonMs)}`;
  const isMarked = view.mark === 1;
  const text = isMarked ? `↕ ${span}` : span;
  const [height, padding] = [18 * ratio, 7 * ratio];
  ctx.save();
  ctx.font = `${isMarked ? '600 ' : ''}${fontOf(ratio)}`;
  const width = ctx.measureText(text).width + 2 * padding;
  const left = Math.max(bbox.left, Math.min(x - width / 2, bbox.left + bbox.width - width));
  const top = bbox.top + 3 * ratio;
  ctx.beginPath();
  ctx.roundRect(left, top, width, height, 4 * ratio);
  ctx.fillStyle = isMarked ? colours.mark : colours.card;
  ctx.fill();
  ctx.strokeStyle = isMarked ? colours.mark : colours.edge;
  ctx.lineWidth = ratio;
  ctx.stroke();
  ctx.fillStyle = isMarked ? colours.card : colours.ink;
  ctx.textAlign = 'center';
  ctx.textBaseline = 'middle';
  ctx.fillText(text, left + width / 2, top + height / 2 + 0.5);
  ctx.restore();
}

/** Above the price: last tick, entry and future time with their names, and what came of it. */
export function drawAbove(layer: Layer): void {
  const { plot, view, ratio } = layer;
  const { last, entry, future, end } = timesOf(view);
  drawUpright(layer, last, [2, 3]);
  drawUpright(layer, entry, []);
  drawUpright(layer, end, end < future ? [1, 4] : [6, 3]);
  drawLastPrice(layer);
  drawMove(layer);
  const { bbox } = plot;
  const [entryX, endX] = [xOf(layer, entry), xOf(layer, end)];
  const right = bbox.left + bbox.width;
  const isSeen = (x: number): boolean => x >= bbox.left && x <= right + 1;
  if (isSeen(entryX) && Math.min(endX, right) - entryX > 110 * ratio) write(layer, 'entry', entryX + 5 * ratio, bbox.top + 12 * ratio);
  if (isSeen(endX)) drawFutureLabel(layer, endX);
}
