import { percentText } from '../answer/describeAnswer.ts';
import { timesOf } from './ChartView.ts';
import { fontOf, type Layer, xOf, yOf } from './Layer.ts';
import { withinPlot } from './withinPlot.ts';

const STEPS = 24;
const ALPHA = 0.13;
/** Where the name of a range stands, left of the tag of the future time. */
const LABEL_SHARE = 0.72;
const LEAST_LABEL_PX = 24;

/** The path of a cone: `place` is the point of an edge at the square root of the time passed, from 0 to `shown`. */
export function traceCone(ctx: CanvasRenderingContext2D, shown: number, place: (share: number, isUp: boolean) => [number, number]): void {
  // Points are closer together where the cone opens.
  const shares = Array.from({ length: STEPS + 1 }, (_, i) => (i / STEPS) * shown);
  ctx.beginPath();
  for (const share of shares) ctx.lineTo(...place(share, true));
  for (const share of shares.toReversed()) ctx.lineTo(...place(share, false));
  ctx.closePath();
}

/** The ranges as a cone from the last tick: a move grows with the square root of time. Each is one shade darker than the wider ones. */
export function drawCone(layer: Layer): void {
  const { plot, view, colours, ratio } = layer;
  const { last, future, end } = timesOf(view);
  const from = view.series.prices[view.origin]!;
  const shown = Math.sqrt((end - last) / (future - last));
  withinPlot(plot, (ctx) => {
    ctx.fillStyle = colours.range;
    ctx.font = fontOf(ratio);
    ctx.textAlign = 'center';
    for (const { level, low, high } of view.ranges) {
      const place = (share: number, edge: number): [number, number] => [
        xOf(layer, last + (future - last) * share ** 2),
        yOf(layer, from * Math.exp(share * Math.log(edge / from))),
      ];
      traceCone(ctx, shown, (share, isUp) => place(share, isUp ? high : low));
      ctx.globalAlpha = ALPHA;
      ctx.fill();
      const [at, top] = place(shown * LABEL_SHARE, high);
      if (at - xOf(layer, last) < LEAST_LABEL_PX * ratio) continue;
      ctx.globalAlpha = 1;
      ctx.fillText(percentText(level), at, top + 13 * ratio);
    }
  });
}
