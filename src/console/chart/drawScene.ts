import { bpsText } from '../answer/describeAnswer.ts';
import { firstAtOrAfter, lastAtOrBefore } from '../../ticks/searchTimes.ts';
import { thinTicks } from '../ticks/stepWindow.ts';
import { US_PER_MS } from '../ticks/TickSeries.ts';
import { candlesOf, candleStep } from './candlesOf.ts';
import { type Colours, type Layer, PRICE_LABEL_PX, timeLabelPx } from './Layer.ts';
import { bandAround, bandOf, type ChartMark, type Cone, msOf, type Scene } from './Scene.ts';
import { MARK_PX, placeMarks } from './priceTags.ts';
import type { TimeScale } from './TimeScale.ts';

/** About two for each pixel of a wide chart. */
const MOST_POINTS = 2000;
const CONE_STEPS = 24;
const AREA_ALPHA = 0.13;
const PAST_ALPHA = 0.35;
const LINE_PX = 1.5;
const LABEL_PX = 15;

/** Grid, future, ranges, band, price, marks, outcome: each above the one before. Axes and tags are drawn on top. */
export function drawScene(layer: Layer): void {
  const { time } = layer;
  within(layer, time.left, time.right, () => drawGrid(layer));
  // What lies after the last tick that is shown does not reach into the future, which begins later.
  within(layer, time.left, time.isJoined ? time.right : time.boundary, () => {
    drawPastCones(layer);
    drawMarkBands(layer);
  });
  within(layer, time.boundary, time.right, () => drawFuture(layer));
  within(layer, time.left, time.boundary, () => drawPrice(layer));
  within(layer, time.boundary, time.right, () => drawOutcome(layer));
  within(layer, time.left, time.isJoined ? time.right : time.boundary, () => drawMarks(layer));
  within(layer, time.left, time.right, () => drawLastPrice(layer));
}

function within({ ctx, price }: Layer, left: number, right: number, draw: () => void): void {
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, price.top, right - left, price.bottom - price.top);
  ctx.clip();
  draw();
  ctx.restore();
}

function line(ctx: CanvasRenderingContext2D, ...places: readonly (readonly [x: number, y: number])[]): void {
  ctx.beginPath();
  for (const [x, y] of places) ctx.lineTo(x, y);
  ctx.stroke();
}

function drawGrid(layer: Layer): void {
  const { ctx, time, price, colours } = layer;
  ctx.strokeStyle = colours.grid;
  for (const { price: at } of price.labels(PRICE_LABEL_PX)) {
    const y = Math.round(price.yOf(at)) + 0.5;
    line(ctx, [time.left, y], [time.right, y]);
  }
  for (const { x } of time.labels(timeLabelPx(layer))) line(ctx, [Math.round(x) + 0.5, price.top], [Math.round(x) + 0.5, price.bottom]);
}

/** The path of a cone: a move grows with the square root of time. */
function traceCone({ ctx, time, price }: Layer, { fromMs, toMs, price: from, low, high }: Cone): void {
  const place = (share: number, edge: number): [number, number] => [
    time.xOf(fromMs + (toMs - fromMs) * share ** 2),
    price.yOf(from * Math.exp(share * Math.log(edge / from))),
  ];
  ctx.beginPath();
  for (let i = 0; i <= CONE_STEPS; i++) ctx.lineTo(...place(i / CONE_STEPS, high));
  for (let i = CONE_STEPS; i >= 0; i--) ctx.lineTo(...place(i / CONE_STEPS, low));
  ctx.closePath();
}

/** Ranges of earlier forecasts, by whether the price stayed within. */
function drawPastCones(layer: Layer): void {
  const { ctx, earlier, colours } = layer;
  for (const cone of earlier.cones) {
    traceCone(layer, cone);
    ctx.fillStyle = ctx.strokeStyle = cone.isHeld === true ? colours.good : colours.bad;
    ctx.globalAlpha = AREA_ALPHA / 3;
    ctx.fill();
    ctx.globalAlpha = PAST_ALPHA;
    ctx.stroke();
  }
}

/** The future: its ranges, each one shade darker than the wider ones, and the threshold band, with arrows to an edge that lies outside. */
function drawFuture(layer: Layer): void {
  const { ctx, scene, time, price, colours } = layer;
  ctx.fillStyle = colours.soft;
  ctx.globalAlpha = AREA_ALPHA / 2;
  ctx.fillRect(time.boundary, price.top, time.right - time.boundary, price.bottom - price.top);
  ctx.fillStyle = colours.range;
  ctx.globalAlpha = AREA_ALPHA;
  for (const cone of scene.cones) {
    traceCone(layer, cone);
    ctx.fill();
  }
  ctx.globalAlpha = 1;
  ctx.strokeStyle = colours.soft;
  const edge = time.boundary + 0.5;
  ctx.setLineDash([2, 3]);
  line(ctx, [edge, price.top], [edge, price.bottom]);
  ctx.setLineDash([]);
  const band = bandOf(scene);
  if (band === null) return;
  const [bottom, top] = band.map((at) => price.yOf(at)) as [number, number];
  ctx.fillStyle = ctx.strokeStyle = colours.band;
  ctx.globalAlpha = AREA_ALPHA;
  ctx.fillRect(time.boundary, top, time.right - time.boundary, bottom - top);
  ctx.globalAlpha = 1;
  ctx.lineWidth = LINE_PX;
  for (const y of [top, bottom]) line(ctx, [time.boundary, y], [time.right, y]);
  for (const [isOutside, y, way] of [
    [top < price.top, price.top + 2, 1],
    [bottom > price.bottom, price.bottom - 2, -1],
  ] as const)
    for (let x = time.boundary + 7; isOutside && x < time.right; x += 14) line(ctx, [x - 4, y + way * 4], [x, y], [x + 4, y + way * 4]);
  const inside = Math.max(top, price.top);
  ctx.textAlign = 'left';
  // What came of it is drawn over this place.
  if (scene.minMoveBps !== null && scene.outcome.status !== 'known' && Math.min(bottom, price.bottom) - inside > LABEL_PX)
    ctx.fillText(`±${bpsText(scene.minMoveBps)}`, time.boundary + 5, inside + LABEL_PX / 2 + 3);
}

/** The price as steps over irregular milliseconds, from one tick before the first that is shown; or as candles. */
function drawPrice(layer: Layer): void {
  const { ctx, scene, time, price, colours } = layer;
  if (layer.isCandles) return drawCandles(layer);
  const { series, breaks } = scene;
  const [from, to] = visibleTicks(scene, time);
  ctx.strokeStyle = colours.price;
  ctx.lineWidth = LINE_PX;
  ctx.lineJoin = 'round';
  ctx.beginPath();
  let gap = breaks.findIndex((at) => at > from);
  let y = NaN;
  for (const at of thinTicks(series.prices, from, to, MOST_POINTS)) {
    const x = time.xOf(msOf(series, at));
    const isBroken = gap >= 0 && gap < breaks.length && breaks[gap] <= at;
    while (gap >= 0 && gap < breaks.length && breaks[gap] <= at) gap++;
    if (!Number.isNaN(y) && !isBroken) ctx.lineTo(x, y);
    y = price.yOf(series.prices[at]);
    if (isBroken) ctx.moveTo(x, y);
    else ctx.lineTo(x, y);
  }
  ctx.stroke();
}

/** Those that rose are hollow, the others filled. */
function drawCandles({ ctx, scene, time, price, colours }: Layer): void {
  const [from, to] = visibleTicks(scene, time);
  const stepMs = candleStep(time.msPerPx, scene.series);
  const width = Math.max(1, (stepMs / time.msPerPx) * 0.7);
  ctx.strokeStyle = colours.price;
  for (const { fromMs, open, high, low, close } of candlesOf(scene.series, from, to, stepMs)) {
    const x = Math.round(time.xOf(Math.min(fromMs + stepMs / 2, msOf(scene.series, scene.last)))) + 0.5;
    line(ctx, [x, price.yOf(high)], [x, price.yOf(low)]);
    const [top, bottom] = [price.yOf(Math.max(open, close)), price.yOf(Math.min(open, close))];
    ctx.fillStyle = close > open ? colours.card : colours.price;
    ctx.fillRect(x - width / 2, top, width, bottom - top);
    ctx.strokeRect(x - width / 2, top, width, bottom - top);
  }
}

/** Ticks between the edges of the past, and one on either side. */
export function visibleTicks({ series, from, last }: Scene, time: TimeScale): readonly [from: number, to: number] {
  const first = lastAtOrBefore(series.timesUs, time.msAt(time.left) * US_PER_MS, from);
  const end = firstAtOrAfter(series.timesUs, time.msAt(time.boundary) * US_PER_MS, from, last + 1);
  return [Math.max(from, first), Math.min(last, end)];
}

/** What came after the last tick, and the move from the entry to the future time. */
function drawOutcome({ ctx, scene, time, price, colours }: Layer): void {
  const { outcome, series, last } = scene;
  if (outcome.status !== 'known' || outcome.exit === null) return;
  const place = (at: number): [number, number] => [time.xOf(msOf(series, at)), price.yOf(series.prices[at])];
  ctx.strokeStyle = colours.after;
  ctx.lineWidth = LINE_PX;
  ctx.beginPath();
  let y = price.yOf(series.prices[last]);
  ctx.moveTo(time.boundary, y);
  for (const at of thinTicks(series.prices, last + 1, outcome.exit, MOST_POINTS)) {
    const [x, to] = place(at);
    ctx.lineTo(x, y);
    ctx.lineTo(x, (y = to));
  }
  ctx.stroke();
  if (outcome.entry === null) return;
  const ends = [place(outcome.entry), place(outcome.exit)] as const;
  ctx.strokeStyle = ctx.fillStyle = colours.ink;
  ctx.setLineDash([4, 3]);
  line(ctx, ...ends);
  for (const [x, at] of ends) {
    ctx.beginPath();
    ctx.arc(x, at, 3, 0, 2 * Math.PI);
    ctx.fill();
  }
}

const colourOf = ({ came }: ChartMark, colours: Colours): string =>
  came === null ? colours.accent : came === undefined ? colours.soft : came ? colours.good : colours.bad;

/** The move that a mark expects, and until when: of marks that do not overlap, the newest first. */
function drawMarkBands(layer: Layer): void {
  const { ctx, earlier, time, price, colours } = layer;
  let before = Infinity;
  for (const mark of earlier.marks) {
    if (mark.minMoveBps === null || mark.toMs > before) continue;
    before = mark.fromMs;
    const [bottom, top] = bandAround(mark.price, mark.minMoveBps).map((at) => price.yOf(at)) as [number, number];
    const [left, right] = [time.xOf(mark.fromMs), time.xOf(mark.toMs)];
    ctx.strokeStyle = ctx.fillStyle = colourOf(mark, colours);
    ctx.globalAlpha = AREA_ALPHA / 2;
    ctx.fillRect(left, top, right - left, bottom - top);
    ctx.globalAlpha = PAST_ALPHA;
    for (const y of [top, bottom]) line(ctx, [left, y], [right, y]);
  }
}

/** A ring: pending. A disc: came true. A cross: did not. A dash: unknown. Each with its horizon where there is room, or how many more are there. */
function drawMarks(layer: Layer): void {
  const { ctx, earlier, time, price, colours } = layer;
  const placed = placeMarks(earlier.marks, (mark) => [time.xOf(mark.fromMs), price.yOf(mark.price)], price.top + MARK_PX);
  for (const { mark, x, y } of placed) {
    ctx.strokeStyle = ctx.fillStyle = colourOf(mark, colours);
    ctx.lineWidth = 2;
    if (mark.came === null || mark.came === true) {
      ctx.beginPath();
      ctx.arc(x, y, 4.5, 0, 2 * Math.PI);
      if (mark.came === null) ctx.fillStyle = colours.card;
      ctx.fill();
      ctx.stroke();
    } else if (mark.came === undefined) line(ctx, [x - 4, y], [x + 4, y]);
    else for (const way of [1, -1]) line(ctx, [x - 4, y - 4 * way], [x + 4, y + 4 * way]);
  }
  ctx.textAlign = 'left';
  ctx.lineWidth = 3;
  ctx.strokeStyle = colours.card;
  for (const { mark, x, y, more } of placed) {
    const name = more === 0 ? mark.name : `${mark.name} +${more}`;
    const right = x + MARK_PX + ctx.measureText(name).width;
    const isFree = placed.every((other) => other.x <= x || other.x > right + MARK_PX || Math.abs(other.y - y) >= MARK_PX);
    if (!isFree && more === 0) continue;
    ctx.strokeText(name, x + 7, y);
    ctx.fillStyle = colourOf(mark, colours);
    ctx.fillText(name, x + 7, y);
  }
}

function drawLastPrice({ ctx, scene, time, price, colours }: Layer): void {
  const y = Math.round(price.yOf(scene.series.prices[scene.last])) + 0.5;
  ctx.strokeStyle = colours.price;
  ctx.setLineDash([1, 3]);
  line(ctx, [time.left, y], [time.right, y]);
}
