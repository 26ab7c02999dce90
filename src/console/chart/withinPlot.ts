import type uPlot from 'uplot';

/** Keeps the drawing within the plot, and the state of the canvas as it was. */
export function withinPlot({ ctx, bbox }: uPlot, draw: (context: CanvasRenderingContext2D) => void): void {
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  draw(ctx);
  ctx.restore();
}
