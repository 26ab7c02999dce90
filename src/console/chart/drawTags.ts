import { fontOf, yOf, type Layer } from './Layer.ts';
import { placeTags, type PriceTag } from './priceTags.ts';

const TAG_HEIGHT = 17;
/** Between the plot and the tag, and around its text. */
const GAP = 5;
const PADDING = 5;

/** CSS pixels that the longest of these texts takes on the axis. */
export function tagWidth(context: CanvasRenderingContext2D, texts: readonly string[]): number {
  context.save();
  context.font = fontOf(1);
  const widest = Math.max(0, ...texts.map((text) => context.measureText(text).width));
  context.restore();
  return Math.ceil(widest) + GAP + 2 * PADDING + 2;
}

/** Draws the tags on the right-hand axis, each with a line to its price where it had to move. */
export function drawTags(layer: Layer, tags: readonly PriceTag[]): void {
  const { plot, colours, ratio } = layer;
  const { ctx, bbox } = plot;
  const right = bbox.left + bbox.width;
  const height = TAG_HEIGHT * ratio;
  const placed = placeTags(tags, { yOf: (price) => yOf(layer, price), top: bbox.top, bottom: bbox.top + bbox.height, height });
  ctx.save();
  ctx.font = fontOf(ratio);
  ctx.textBaseline = 'middle';
  ctx.textAlign = 'left';
  ctx.lineWidth = ratio;
  const left = right + GAP * ratio;
  // A number of the axis must not stand out behind a tag.
  ctx.fillStyle = colours.card;
  for (const { y } of placed) ctx.fillRect(left, y - height / 2 - 3 * ratio, ctx.canvas.width - left, height + 6 * ratio);
  for (const { text, colour, isFilled, y, priceY } of placed) {
    const width = ctx.measureText(text).width + 2 * PADDING * ratio;
    ctx.strokeStyle = colour;
    ctx.globalAlpha = 0.5;
    ctx.beginPath();
    ctx.moveTo(right, priceY);
    ctx.lineTo(left, y);
    ctx.stroke();
    ctx.globalAlpha = 1;
    ctx.beginPath();
    ctx.roundRect(left, y - height / 2 + ratio, width, height - 2 * ratio, 3 * ratio);
    ctx.fillStyle = isFilled ? colour : colours.card;
    ctx.fill();
    ctx.stroke();
    ctx.fillStyle = isFilled ? colours.card : colour;
    ctx.fillText(text, left + PADDING * ratio, y + 0.5);
  }
  ctx.restore();
}
