import { bpsText, percentText } from '../answer/describeAnswer.ts';
import { remedyOf } from '../answer/remedyOf.ts';
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
class TickTile extends Tile {
  constructor() {
    super('Last price');
  }

  show(stream: Stream | undefined, cost: string, nowMs: number): void {
    const last = (stream?.position ?? 0) - 1;
    if (stream === undefined || last < 0) return this.fill({ status: '–', lines: [cost] });
    const timeUs = stream.series.timesUs[last];
    const ageS = Math.max(0, Math.round((nowMs - timeUs / US_PER_MS) / 1000));
    this.fill({
      status: stream.isPlayed ? 'played' : ageS < 1 ? 'now' : `${formatSpan(1000 * ageS)} old`,
      figure: priceWriter(stream.series, 0, last)(stream.series.prices[last]),
      lines: [`${formatClock(timeUs).slice(0, 8)} UTC`, cost],
    });
  }
}

class HorizonTile extends Tile {
  readonly #id: string;
  readonly #meter: HTMLElement;
  readonly #fill = element('span', { class: 'meter-fill' });
  readonly #needed = element('span', { class: 'meter-needed' });

  constructor(id: string, name: string) {
    const meter = element('div', { class: 'meter', 'aria-hidden': 'true', hidden: true });
    super(name, meter);
    this.#id = id;
    this.#meter = meter;
    meter.append(this.#fill, this.#needed);
  }

  show(stream: Stream | undefined): void {
    const row = stream?.log.latest(this.#id);
    const score = stream?.scores.find(({ id }) => id === this.#id);
    this.element.dataset['status'] = row?.status ?? 'waiting';
    if (stream === undefined || row === undefined) return this.fill({ status: 'none yet' });
    const { probability, decision_threshold: needed, min_move_bps: bps } = row.message;
    this.#meter.hidden = probability === null;
    this.#fill.style.width = `${100 * (probability ?? 0)}%`;
    this.#needed.hidden = needed === null;
    this.#needed.style.left = `${100 * (needed ?? 0)}%`;
    const base = score?.base_rate ?? null;
    const write = priceWriter(stream.series, 0, stream.position - 1);
    const edges = bps === null ? [] : bandAround(stream.series.prices[row.tick], bps).map(write);
    this.fill({
      status: STATUS_NAMES[row.status],
      figure: probability === null ? remedyOf(row.message.reasons[0]) : percentText(probability),
      remark: base === null ? '' : `base rate ${percentText(base)}`,
      lines: [
        row.tick < (stream.breaks?.at(-1) ?? 0) ? 'before the gap' : '',
        row.message.notes?.includes('seen_in_training') === true ? 'in sample' : '',
        abstainText(row),
        needed === null ? '' : `marked from ${percentText(needed)}`,
        bps === null ? '' : `over ${bpsText(bps)}`,
        bps === null ? '' : `▼ ${edges[0]} ▲ ${edges[1]}`,
        score === undefined ? '' : hitText(score),
      ],
    });
  }
}

/** The last tick and the last forecast of every horizon, side by side. */
export class HorizonStrip {
  readonly #box: HTMLElement;
  readonly #tick = new TickTile();
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
      this.#tiles = plans.map(({ id, name }) => new HorizonTile(id, name));
      this.#box.replaceChildren(this.#tick.element, ...this.#tiles.map((tile) => tile.element));
    }
    this.#tick.show(stream, this.cost, Date.now());
    for (const tile of this.#tiles) tile.show(stream);
  }
}
