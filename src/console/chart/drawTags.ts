import { formatClock, formatSpan } from '../ticks/timeText.ts';
import { type Colours, type Layer, PRICE_LABEL_PX, timeLabelPx } from './Layer.ts';
import { priceWriter } from './priceDigits.ts';
import { placeTags, type PriceTag } from './priceTags.ts';
import { bandOf, type Scene } from './Scene.ts';

export const FONT = '11px system-ui, sans-serif';
const TAG_HEIGHT = 17;
/** Between the plot and the tag, and around its text. */
const GAP = 5;
const PADDING = 5;

/** What the price axis names: the last price and both edges of the band. */
export function tagsOf(scene: Scene, colours: Colours): PriceTag[] {
  const { series, from, last } = scene;
  const write = priceWriter(series, from, last);
  const now = series.prices[last];
  return [
    { price: now, text: write(now), colour: colours.price, isFilled: true },
    ...(bandOf(scene) ?? []).map((price, i) => ({
      price,
      text: `${i === 0 ? '▼' : '▲'} ${write(price)}`,
      colour: colours.band,
      isFilled: false,
    })),
  ];
}

/** Pixels that the longest of these texts takes on the price axis. */
export function axisWidth(ctx: CanvasRenderingContext2D, texts: readonly string[]): number {
  return Math.ceil(Math.max(0, ...texts.map((text) => ctx.measureText(text).width))) + GAP + 2 * PADDING + 2;
}

/** Numbers and tags of the price axis: tags are moved apart, each with a line to its price, and a number next to one is left out. */
export function drawPriceAxis({ ctx, price, time, colours }: Layer, tags: readonly PriceTag[]): void {
  const left = time.right + GAP;
  const placed = placeTags(tags, { yOf: (at) => price.yOf(at), top: price.top, bottom: price.bottom, height: TAG_HEIGHT });
  ctx.textAlign = 'left';
  ctx.fillStyle = colours.soft;
  for (const { price: at, text } of price.labels(PRICE_LABEL_PX)) {
    const y = price.yOf(at);
    if (placed.every((tag) => Math.abs(tag.y - y) >= TAG_HEIGHT - 1)) ctx.fillText(text, left + PADDING, y);
  }
  for (const { text, colour, isFilled, y, priceY } of placed) {
    ctx.strokeStyle = colour;
    ctx.globalAlpha = 0.5;
    ctx.beginPath();
    ctx.moveTo(time.right, priceY);
    ctx.lineTo(left, y);
    ctx.stroke();
    ctx.globalAlpha = 1;
    drawTag({ ctx, colours, text, colour, isFilled, left, y });
  }
}

/** The time axis: clock times, the time of the last tick, and the future time by its name, filled where it is marked. */
export function drawTimeAxis(layer: Layer): void {
  const { ctx, scene, price, time, colours } = layer;
  const isMarked = scene.isMarked === true;
  const y = price.bottom + 4 + TAG_HEIGHT / 2;
  const widthOf = (text: string): number => ctx.measureText(text).width + 2 * PADDING;
  const future = `${isMarked ? '↕ ' : ''}+${formatSpan(scene.horizonMs)}`;
  const futureLeft = time.right - widthOf(future);
  const last = formatClock(scene.series.timesUs[scene.last]).slice(0, 8);
  const lastLeft = Math.min(time.boundary - widthOf(last) / 2, futureLeft - widthOf(last) - GAP);
  const isFree = (from: number, to: number): boolean =>
    to < futureLeft - GAP && from >= time.left && (to < lastLeft - GAP || from > lastLeft + widthOf(last) + GAP);
  ctx.textAlign = 'center';
  ctx.fillStyle = colours.soft;
  for (const { x, text } of time.labels(timeLabelPx(layer))) {
    const half = ctx.measureText(text).width / 2;
    if (isFree(x - half, x + half)) ctx.fillText(text, x, y);
  }
  drawTag({ ctx, colours, text: last, colour: colours.price, isFilled: false, left: lastLeft, y });
  drawTag({ ctx, colours, text: future, colour: isMarked ? colours.mark : colours.soft, isFilled: isMarked, left: futureLeft, y });
}

type Tag = Pick<PriceTag, 'text' | 'colour' | 'isFilled'> & Pick<Layer, 'ctx' | 'colours'> & { readonly left: number; readonly y: number };

function drawTag({ ctx, colours, text, colour, isFilled, left, y }: Tag): void {
  ctx.textAlign = 'left';
  ctx.beginPath();
  ctx.roundRect(left + 0.5, y - TAG_HEIGHT / 2 + 1, ctx.measureText(text).width + 2 * PADDING - 1, TAG_HEIGHT - 2, 3);
  ctx.fillStyle = isFilled ? colour : colours.card;
  ctx.fill();
  ctx.strokeStyle = colour;
  ctx.stroke();
  ctx.fillStyle = isFilled ? colours.card : colour;
  ctx.fillText(text, left + PADDING, y + 0.5);
}
