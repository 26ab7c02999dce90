import uPlot from 'uplot';
import { priceText } from '../answer/describeAnswer.ts';
import { TIME_STEPS, timeLabel } from '../chart/describeChart.ts';
import { thinTicks } from '../ticks/stepWindow.ts';
import { BPS_PER_UNIT, US_PER_MS, US_PER_S } from '../ticks/TickSeries.ts';
import { drawLive, readLiveColours, type LiveView } from './drawLive.ts';
import type { LoggedForecast } from './ForecastLog.ts';
import { latestCones, type LiveCone, pastCones } from './liveCones.ts';
import type { Stream } from './Stream.ts';

/** About two for each pixel of a wide chart. */
const MOST_POINTS = 2000;
/** The future has a quarter of the width. */
const FUTURE_RATIO = 1 / 3;
const NARROW_PX = 520;
/** A band wider than this many times the price range would flatten the prices: it is clipped instead. */
const MAX_BAND_RATIO = 2;

/**
 * The last minutes of a stream: price as steps, marks with what came of them, threshold band and ranges of the last forecast, and the ranges of
 * earlier ones by whether the price stayed within.
 */
export class LiveChart {
  readonly #box: HTMLElement;
  readonly #figure: HTMLElement;
  readonly #plot: uPlot;
  #colours = readLiveColours();
  #view: LiveView | undefined;

  constructor(box: HTMLElement) {
    this.#box = box;
    this.#figure = box.closest('figure')!;
    // Nothing to see yet: the state says what to do.
    this.#figure.hidden = true;
    this.#plot = new uPlot(this.#options(), [[], []], box);
    new ResizeObserver(() => this.#fit()).observe(box);
  }

  recolour(): void {
    this.#colours = readLiveColours();
    this.#plot.redraw(false, true);
  }

  /** `horizon`: id of the forecasts that are drawn; null: of all. */
  show(stream: Stream | undefined, spanS: number, horizon: string | null): void {
    this.#figure.hidden = stream === undefined || stream.position === 0;
    if (stream === undefined || stream.position === 0) {
      this.#view = undefined;
      this.#plot.setData([[], []]);
      return;
    }
    const { position, plans, series, log, breaks = [] } = stream;
    const last = position - 1;
    const from = Math.min(last, stream.startOfSpan(spanS * US_PER_S));
    const lastMs = series.timesUs[last]! / US_PER_MS;
    const spanMs = spanS * 1000;
    const shown = horizon ?? (plans.find(({ id }) => id === '60s') ?? plans[0])?.id ?? '';
    const forecast = log.latest(shown);
    this.#view = {
      ...{ series, from, last },
      fromMs: lastMs - spanMs,
      toMs: lastMs + spanMs * FUTURE_RATIO,
      marks: marksSince(log.rows, from, horizon),
      forecast,
      cones: latestCones(series, forecast),
      past: pastCones(series, log, shown, from),
    };
    const kept = thinTicks(series.prices, from, last, MOST_POINTS);
    const times: number[] = [];
    const prices: (number | null)[] = [];
    let gap = breaks.findIndex((at) => at > from);
    for (const at of kept) {
      const ms = series.timesUs[at]! / US_PER_MS;
      // No line crosses a gap.
      for (; gap >= 0 && gap < breaks.length && breaks[gap]! <= at; gap++) {
        times.push(ms);
        prices.push(null);
      }
      times.push(ms);
      prices.push(series.prices[at]!);
    }
    this.#plot.setData([times, prices]);
  }

  /** Ranges with an outcome on the chart. */
  get past(): readonly LiveCone[] {
    return this.#view?.past ?? [];
  }

  /** Marks on the chart, for its description. */
  get marks(): readonly LoggedForecast[] {
    return this.#view?.marks ?? [];
  }

  #fit(): void {
    const { clientWidth: width, clientHeight: height } = this.#box;
    if (width > 0 && height > 0) this.#plot.setSize({ width, height });
  }

  #options(): uPlot.Options {
    const axis = {
      stroke: () => this.#colours.soft,
      font: '11px system-ui, sans-serif',
      grid: { stroke: () => this.#colours.grid, width: 1 },
      ticks: { show: false },
    };
    const hidden = { show: false } as const;
    return {
      width: this.#box.clientWidth || 600,
      height: this.#box.clientHeight || 260,
      padding: [8, 8, 0, 0],
      legend: hidden,
      cursor: hidden,
      scales: { x: { time: false, range: () => this.#timeRange() }, y: { range: (_, min, max) => this.#priceRange(min, max) } },
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
          size: ({ width: now }) => (now < NARROW_PX ? 58 : 72),
          values: (_, splits) => splits.map((price) => priceText(price)),
        },
      ],
      series: [{}, { stroke: () => this.#colours.price, width: 1.5, paths: uPlot.paths.stepped!({ align: 1 }), points: hidden }],
      hooks: {
        drawClear: [(plot) => this.#view !== undefined && drawLive.below(plot, this.#view, this.#colours)],
        draw: [(plot) => this.#view !== undefined && drawLive.above(plot, this.#view, this.#colours)],
      },
    };
  }

  #timeRange(): uPlot.Range.MinMax {
    return this.#view === undefined ? [0, 1] : [this.#view.fromMs, this.#view.toMs];
  }

  #priceRange(min: number | null, max: number | null): uPlot.Range.MinMax {
    if (min === null || max === null || this.#view === undefined) return [0, 1];
    const { series, last, forecast, cones } = this.#view;
    const price = series.prices[last]!;
    const span = Math.max(max - min, price * 1e-5);
    const half = Math.max((forecast?.message.min_move_bps ?? 0) / BPS_PER_UNIT, cones[0]?.move ?? 0) * price;
    const low = Math.max(Math.min(min, price - half), min - span * MAX_BAND_RATIO);
    const high = Math.min(Math.max(max, price + half), max + span * MAX_BAND_RATIO);
    const margin = (high - low) * 0.08;
    return [low - margin, high + margin];
  }
}

/** Marks at or after a tick, of one horizon or of all: the last rows, because a log is in the order of its ticks but for a few. */
function marksSince(rows: readonly LoggedForecast[], from: number, horizon: string | null): LoggedForecast[] {
  const found: LoggedForecast[] = [];
  /** Forecasts that are computed at the same time arrive in any order, at most so many. */
  let earlier = 0;
  for (let at = rows.length - 1; at >= 0 && earlier < 64; at--) {
    const row = rows[at]!;
    if (row.tick < from) earlier++;
    else if (row.status === 'identified' && (horizon === null || row.message.id === horizon)) found.push(row);
  }
  return found;
}
