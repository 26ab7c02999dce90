import { bpsText, percentText, priceText } from '../answer/describeAnswer.ts';
import type { Earlier } from '../chart/Scene.ts';
import { TickChart } from '../chart/TickChart.ts';
import { formatClock } from '../ticks/timeText.ts';
import { horizonName } from './livePlan.ts';
import { askedPrice, forecastAt, liveScene, shownHorizon } from './liveScene.ts';
import { outcomeWords, STATUS_NAMES } from './liveWords.ts';
import type { Stream } from './Stream.ts';

export type LiveChartParts = {
  readonly box: HTMLElement;
  /** Back to the last tick. */
  readonly latest: HTMLButtonElement;
  readonly candles: HTMLButtonElement;
  /** Of the tick under the pointer. */
  readonly readout: HTMLElement;
};

/** The last minutes of a stream: price, marks with what came of them, the last forecast and the ranges of earlier ones. */
export class LiveChart {
  readonly #chart: TickChart;
  readonly #figure: HTMLElement;
  #stream: Stream | undefined;
  #horizon = '';

  constructor({ box, latest, candles, readout }: LiveChartParts) {
    this.#figure = box.closest('figure')!;
    // Nothing to see yet: the state says what to do.
    this.#figure.hidden = true;
    this.#chart = new TickChart({
      ...{ box, candles },
      textOf: (at) => this.#textOf(at),
      onRead: (text) => (readout.textContent = text),
      onLevel: (price) => {
        if (this.#stream?.level !== undefined) this.#stream.level.price = price;
        this.#ask();
      },
      onMove: (isMoved) => (latest.hidden = !isMoved),
    });
    latest.addEventListener('click', () => this.#chart.reset());
  }

  recolour(): void {
    this.#chart.recolour();
  }

  /** Back to the usual part, up to the last tick. */
  reset(): void {
    this.#chart.reset();
  }

  /** `spanS`: null: that suits the ticks. `horizon`: id of the forecasts that are drawn; null: of all. */
  show(stream: Stream | undefined, spanS: number | null, horizon: string | null): void {
    const isEmpty = stream === undefined || stream.position === 0;
    this.#figure.hidden = isEmpty;
    if (isEmpty) return this.#chart.clear();
    this.#stream = stream;
    this.#horizon = shownHorizon(stream, horizon);
    this.#ask();
    this.#chart.show(liveScene(stream, spanS, horizon));
  }

  /** Whether the level is reached. */
  #ask(): void {
    const { level, log } = this.#stream!;
    const price = askedPrice(this.#stream!);
    const last = log.latest(this.#horizon);
    if (price !== null && last !== undefined) level!.ask(this.#horizon, last.message.n, price);
  }

  /** Whether the ranges ahead are those that all prices stay in. */
  get isReach(): boolean {
    return this.#stream?.level?.answerOf(this.#horizon) !== undefined;
  }

  get earlier(): Earlier {
    return this.#chart.earlier;
  }

  /** A tick and the forecast that was the last one there, with its outcome. */
  #textOf(at: number): string {
    const { series, log } = this.#stream!;
    const tick = `${formatClock(series.timesUs[at])}  ${priceText(series.prices[at])}`;
    const row = forecastAt(log, this.#horizon, at);
    if (row === undefined) return tick;
    const { probability, min_move_bps: bps } = row.message;
    const parts = [
      `${horizonName(this.#horizon)}: ${STATUS_NAMES[row.status].toLowerCase()}`,
      ...(probability === null ? [] : [percentText(probability)]),
      ...(bps === null ? [] : [`over ${bpsText(bps)}`]),
      outcomeWords(row),
      ...(row.message.notes?.includes('seen_in_training') === true ? ['in sample'] : []),
    ];
    return `${tick}  ${parts.join(', ')}`;
  }
}
