import { bpsText, percentText } from '../answer/describeAnswer.ts';
import { element } from '../dom/element.ts';
import { LIVE_HORIZONS } from './livePlan.ts';
import type { Stream, StreamPlan } from './Stream.ts';
import { abstainText, hitText, STATUS_NAMES } from './liveWords.ts';

/** One tile of the strip; its elements are kept, so that a screen reader or a selection is not disturbed at each forecast. */
class HorizonTile {
  readonly element: HTMLLIElement;
  readonly #id: string;
  readonly #status = element('span', { class: 'tile-status' }, 'No forecast yet');
  readonly #meter = element('div', { class: 'meter', 'aria-hidden': 'true', hidden: true });
  readonly #fill = element('span', { class: 'meter-fill' });
  readonly #needed = element('span', { class: 'meter-needed' });
  readonly #figures = element('p', { class: 'tile-figures' });
  readonly #text = element('p', { class: 'hint' });
  readonly #score = element('p', { class: 'hint' });

  constructor(id: string, name: string) {
    this.#id = id;
    this.#meter.append(this.#fill, this.#needed);
    const head = element('p', { class: 'tile-head' }, element('b', {}, name), this.#status);
    this.element = element('li', { class: 'tile' }, head, this.#meter, this.#figures, this.#text, this.#score);
  }

  show(stream: Stream | undefined): void {
    const row = stream?.log.latest(this.#id);
    this.element.dataset['status'] = row?.status ?? 'waiting';
    this.#status.textContent = row === undefined ? 'No forecast yet' : STATUS_NAMES[row.status];
    const { probability = null, decision_threshold: needed = null, min_move_bps: move = null, timestamp } = row?.message ?? {};
    this.#meter.hidden = probability === null;
    this.#fill.style.width = `${100 * (probability ?? 0)}%`;
    this.#needed.hidden = needed === null;
    this.#needed.style.left = `${100 * (needed ?? 0)}%`;
    this.#figures.textContent =
      probability === null ? '' : `${percentText(probability)}${needed === null ? '' : `, marked from ${percentText(needed)}`}`;
    const facts = [
      row === undefined ? '' : abstainText(row),
      move === null ? '' : `move over ${bpsText(move)}`,
      timestamp === undefined ? '' : `at ${timestamp.slice(11, 19)}`,
    ];
    this.#text.textContent = facts.filter((fact) => fact !== '').join(' · ');
    const score = stream?.scores.find(({ id }) => id === this.#id);
    this.#score.textContent = score === undefined ? '' : hitText(score);
  }
}

/** The last forecast of every horizon, side by side. */
export class HorizonStrip {
  readonly #box: HTMLElement;
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
      this.#box.replaceChildren(...this.#tiles.map((tile) => tile.element));
    }
    for (const tile of this.#tiles) tile.show(stream);
  }
}
