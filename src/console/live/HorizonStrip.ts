import { bpsText, percentText, remedyOf } from '../answer/describeAnswer.ts';
import { priceWriter } from '../chart/priceDigits.ts';
import { bandAround } from '../chart/Scene.ts';
import { isWords } from '../answer/renderFigures.ts';
import { element } from '../dom/element.ts';
import { US_PER_MS } from '../ticks/TickSeries.ts';
import { formatClock, formatSpan } from '../ticks/timeText.ts';
import { LIVE_HORIZONS } from './livePlan.ts';
import type { Stream, StreamPlan } from './Stream.ts';
import { abstainText, hitText, STATUS_NAMES } from './liveWords.ts';

/** Its elements are kept, so that a screen reader or a selection is not disturbed at each forecast. */
class Tile {
  readonly element = element('li', { class: 'tile stack tight' });
  readonly #status = element('span', { class: 'tile-status hint' });
  readonly #figure = element('b', { class: 'tile-figure' });
  readonly #remark = element('span', { class: 'step-text' });
  readonly #lines = element('p', { class: 'step-text tile-lines' });

  constructor(name: string, ...between: HTMLElement[]) {
    this.element.append(
      element('p', { class: 'tile-head between' }, element('span', {}, name), this.#status),
      element('p', { class: 'tile-head between' }, this.#figure, this.#remark),
      ...between,
      this.#lines,
    );
  }

  fill({ status = '', figure = '', remark = '', lines = [] as readonly string[] }): void {
    this.#status.textContent = status;
    this.#figure.textContent = figure;
    this.#figure.toggleAttribute('data-words', isWords(figure));
    this.#remark.textContent = remark;
    this.#lines.textContent = lines.filter((line) => line !== '').join('\n');
  }
}

/** The last tick of a stream, and what a move has to pay for. */
function fillTick(tile: Tile, stream: Stream | undefined, cost: string): void {
  const last = (stream?.position ?? 0) - 1;
  if (stream === undefined || last < 0) return tile.fill({ status: '–', lines: [cost] });
  const timeUs = stream.series.timesUs[last];
  const ageS = Math.max(0, Math.round((Date.now() - timeUs / US_PER_MS) / 1000));
  tile.fill({
    status: stream.isPlayed ? 'played' : ageS < 1 ? 'now' : `${formatSpan(1000 * ageS)} old`,
    figure: priceWriter(stream.series, 0, last)(stream.series.prices[last]),
    lines: [`${formatClock(timeUs).slice(0, 8)} UTC`, cost],
  });
}

class HorizonTile extends Tile {
  readonly #id: string;
  readonly #fill = element('span', { class: 'meter-fill' });
  readonly #needed = element('span', { class: 'meter-needed' });
  readonly #meter: HTMLElement;

  constructor({ id, name }: StreamPlan) {
    const meter = element('div', { class: 'meter', 'aria-hidden': 'true', hidden: true });
    super(name, meter);
    this.#id = id;
    this.#meter = meter;
    meter.append(this.#fill, this.#needed);
  }

  show(stream: Stream | undefined): void {
    const row = stream?.log.latest(this.#id);
    this.element.dataset['status'] = row?.status ?? 'waiting';
    if (stream === undefined || row === undefined) return this.fill({ status: 'none yet' });
    const score = stream.scores.find(({ id }) => id === this.#id);
    const { probability, decision_threshold: needed, min_move_bps: bps, reasons, notes } = row.message;
    this.#meter.hidden = probability === null;
    this.#fill.style.width = `${100 * (probability ?? 0)}%`;
    this.#needed.hidden = needed === null;
    this.#needed.style.left = `${100 * (needed ?? 0)}%`;
    const base = score?.base_rate ?? null;
    const write = priceWriter(stream.series, 0, stream.position - 1);
    const [low, high] = bandAround(stream.series.prices[row.tick], bps ?? 0).map(write);
    this.fill({
      status: STATUS_NAMES[row.status],
      figure: probability === null ? remedyOf(reasons[0]) : percentText(probability),
      remark: base === null ? '' : `base rate ${percentText(base)}`,
      lines: [
        row.tick < (stream.breaks?.at(-1) ?? 0) ? 'before the gap' : '',
        notes?.includes('seen_in_training') === true ? 'in sample' : '',
        abstainText(row),
        needed === null ? '' : `marked from ${percentText(needed)}`,
        ...(bps === null ? [] : [`over ${bpsText(bps)}`, `▼ ${low} ▲ ${high}`]),
        score === undefined ? '' : hitText(score),
      ],
    });
  }
}

/** The last tick and the last forecast of every horizon, side by side. */
export class HorizonStrip {
  readonly #box: HTMLElement;
  readonly #tick = new Tile('Last price');
  /** The threshold of the user in words. */
  cost = '';
  #plans: readonly StreamPlan[] = [];
  #tiles: readonly HorizonTile[] = [];

  constructor(box: HTMLElement) {
    this.#box = box;
  }

  show(stream: Stream | undefined): void {
    const plans = stream?.plans ?? LIVE_HORIZONS;
    if (plans !== this.#plans) {
      this.#plans = plans;
      this.#tiles = plans.map((plan) => new HorizonTile(plan));
      this.#box.replaceChildren(this.#tick.element, ...this.#tiles.map((tile) => tile.element));
    }
    fillTick(this.#tick, stream, this.cost);
    for (const tile of this.#tiles) tile.show(stream);
  }
}
