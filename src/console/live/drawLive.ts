import type uPlot from 'uplot';
import { priceText } from '../answer/describeAnswer.ts';
import { coloursOf } from '../chart/ChartView.ts';
import { traceCone } from '../chart/drawCone.ts';
import { withinPlot } from '../chart/withinPlot.ts';
import { BPS_PER_UNIT, US_PER_MS, type TickSeries } from '../ticks/TickSeries.ts';
import type { LoggedForecast } from './ForecastLog.ts';
import type { LiveCone } from './liveCones.ts';

/** What the chart shows; times in milliseconds, indices of the series. */
export type LiveView = {
  readonly series: TickSeries;
  readonly from: number;
  readonly last: number;
  readonly fromMs: number;
  readonly toMs: number;
  readonly marks: readonly LoggedForecast[];
  /** Its threshold is drawn as a band after the last tick. */
  readonly forecast: LoggedForecast | undefined;
  /** Its ranges, widest first, and those of earlier forecasts, newest first. */
  readonly cones: readonly LiveCone[];
  readonly past: readonly LiveCone[];
};

const NAMES = ['soft', 'grid', 'card', 'price', 'accent', 'good', 'bad', 'band', 'ink', 'range'] as const;
export type LiveColours = Readonly<Record<(typeof NAMES)[number], string>>;

export const readLiveColours = (): LiveColours => coloursOf(NAMES);

const pixelRatio = (): number => globalThis.devicePixelRatio || 1;

function drawBand(plot: uPlot, { series, last, toMs, forecast, cones }: LiveView, colours: LiveColours): void {
  const bps = forecast?.message.min_move_bps ?? null;
  if (bps === null) return;
  const price = series.prices[last]!;
  const [top, bottom] = [price * Math.exp(bps / BPS_PER_UNIT), price * Math.exp(-bps / BPS_PER_UNIT)].map((at) =>
    plot.valToPos(at, 'y', true),
  ) as [number, number];
  const [left, right] = [series.timesUs[last]! / US_PER_MS, cones[0]?.toMs ?? toMs].map((at) => plot.valToPos(at, 'x', true)) as [
    number,
    number,
  ];
  withinPlot(plot, (ctx) => {
    ctx.fillStyle = colours.band;
    ctx.globalAlpha = 0.13;
    ctx.fillRect(left, top, right - left, bottom - top);
    ctx.globalAlpha = 1;
    ctx.strokeStyle = colours.band;
    ctx.lineWidth = pixelRatio();
    for (const y of [top, bottom]) {
      ctx.beginPath();
      ctx.moveTo(left, y);
      ctx.lineTo(right, y);
      ctx.stroke();
    }
  });
}

const CONE_ALPHA = 0.13;
const OLDEST_ALPHA = 0.3;

/** The price may go anywhere within its range: half as far after a quarter of the time. */
function fillCone(plot: uPlot, ctx: CanvasRenderingContext2D, { fromMs, toMs, price, move }: LiveCone): void {
  traceCone(ctx, 1, (share, isUp) => [
    plot.valToPos(fromMs + (toMs - fromMs) * share ** 2, 'x', true),
    plot.valToPos(price * Math.exp(isUp ? share * move : -share * move), 'y', true),
  ]);
  ctx.fill();
}

function drawCones(plot: uPlot, { cones, past, fromMs: first, toMs: end }: LiveView, colours: LiveColours): void {
  withinPlot(plot, (ctx) => {
    for (const cone of past) {
      const age = Math.max(OLDEST_ALPHA, (cone.fromMs - first) / (end - first));
      ctx.fillStyle = ctx.strokeStyle = cone.isHeld === true ? colours.good : colours.bad;
      ctx.globalAlpha = CONE_ALPHA * age;
      fillCone(plot, ctx, cone);
      ctx.globalAlpha = age;
      ctx.lineWidth = pixelRatio();
      ctx.stroke();
    }
    ctx.fillStyle = colours.range;
    ctx.globalAlpha = CONE_ALPHA;
    for (const cone of cones) fillCone(plot, ctx, cone);
  });
}

/** A ring: pending. A disc: came true. A cross: did not. A dash: unknown. */
function drawMark(ctx: CanvasRenderingContext2D, x: number, y: number, { outcome }: LoggedForecast, colours: LiveColours): void {
  const ratio = pixelRatio();
  const radius = 4.5 * ratio;
  ctx.lineWidth = 2 * ratio;
  ctx.beginPath();
  if (outcome === null || outcome.moved === true) {
    ctx.arc(x, y, radius, 0, 2 * Math.PI);
    ctx.fillStyle = outcome === null ? colours.card : colours.good;
    ctx.fill();
    ctx.strokeStyle = outcome === null ? colours.accent : colours.card;
  } else {
    ctx.strokeStyle = outcome.moved === false ? colours.bad : colours.soft;
    ctx.moveTo(x - radius * 0.8, y - (outcome.moved === false ? radius * 0.8 : 0));
    ctx.lineTo(x + radius * 0.8, y + (outcome.moved === false ? radius * 0.8 : 0));
    if (outcome.moved === false) {
      ctx.moveTo(x - radius * 0.8, y + radius * 0.8);
      ctx.lineTo(x + radius * 0.8, y - radius * 0.8);
    }
  }
  ctx.stroke();
}

function drawLastPrice(plot: uPlot, { series, last }: LiveView, colours: LiveColours): void {
  const ratio = pixelRatio();
  const price = series.prices[last]!;
  const { ctx, bbox } = plot;
  const y = plot.valToPos(price, 'y', true);
  const right = bbox.left + bbox.width;
  withinPlot(plot, () => {
    ctx.strokeStyle = colours.price;
    ctx.setLineDash([2 * ratio, 3 * ratio]);
    ctx.lineWidth = ratio;
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(right, y);
    ctx.stroke();
  });
  ctx.save();
  ctx.font = `600 ${11 * ratio}px system-ui, sans-serif`;
  const text = priceText(price);
  ctx.fillStyle = colours.price;
  ctx.fillRect(right + ratio, y - 8 * ratio, ctx.measureText(text).width + 10 * ratio, 16 * ratio);
  ctx.fillStyle = colours.card;
  ctx.textBaseline = 'middle';
  ctx.textAlign = 'left';
  ctx.fillText(text, right + 6 * ratio, y + 0.5 * ratio);
  ctx.restore();
}

export const drawLive = {
  below(plot: uPlot, view: LiveView, colours: LiveColours): void {
    drawCones(plot, view, colours);
    drawBand(plot, view, colours);
  },
  above(plot: uPlot, view: LiveView, colours: LiveColours): void {
    const { series, marks } = view;
    withinPlot(plot, (ctx) => {
      for (const mark of marks) {
        const x = plot.valToPos(series.timesUs[mark.tick]! / US_PER_MS, 'x', true);
        drawMark(ctx, x, plot.valToPos(series.prices[mark.tick]!, 'y', true), mark, colours);
      }
    });
    drawLastPrice(plot, view, colours);
  },
};
