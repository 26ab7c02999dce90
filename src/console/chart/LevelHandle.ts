import { element } from '../dom/element.ts';
import type { PriceScale } from './PriceScale.ts';
import type { Scene } from './Scene.ts';
import type { TimeScale } from './TimeScale.ts';

type Shown = {
  readonly level: NonNullable<Scene['level']>;
  readonly time: TimeScale;
  readonly price: PriceScale;
  /** Of the market's prices. */
  readonly digits: number;
};

const STEPS: Readonly<Record<string, number>> = { ArrowUp: 1, ArrowRight: 1, PageUp: 10, ArrowDown: -1, ArrowLeft: -1, PageDown: -10 };
const NEAR_TOP_PX = 40;

/** A line over the future that is dragged to a price, or moved there by keys; it says what is known of this price. */
export class LevelHandle {
  readonly #box: HTMLElement;
  readonly #line = element('div', {
    class: 'level',
    role: 'slider',
    tabindex: 0,
    'aria-orientation': 'vertical',
    'aria-label': 'Price level',
  });
  readonly #text = element('span', { class: 'level-text', 'aria-hidden': 'true' });
  #shown: Shown | undefined;
  /** Where a hand holds it, until the scene has it there too. */
  #held: number | undefined;

  /** `box`: the element that the chart fills, within one that has a position. */
  constructor(box: HTMLElement, onMove: (price: number) => void) {
    this.#box = box;
    const moveTo = (price: number, { digits }: Shown): void => {
      if (!(price > 0)) return;
      this.#held = Number(price.toFixed(digits));
      this.#place();
      onMove(this.#held);
    };
    this.#line.addEventListener('pointerdown', ({ pointerId }) => this.#line.setPointerCapture(pointerId));
    this.#line.addEventListener('pointermove', ({ pointerId, clientY }) => {
      const shown = this.#shown;
      if (shown === undefined || !this.#line.hasPointerCapture(pointerId)) return;
      const { top, bottom } = shown.price;
      moveTo(shown.price.priceAt(Math.min(Math.max(clientY - box.getBoundingClientRect().top, top), bottom)), shown);
    });
    this.#line.addEventListener('keydown', (event) => {
      const step = STEPS[event.key];
      if (step === undefined || this.#shown === undefined) return;
      event.preventDefault();
      moveTo((this.#held ?? this.#shown.level.price) + step * 10 ** -this.#shown.digits, this.#shown);
    });
    this.#line.append(this.#text);
    this.#line.hidden = true;
    box.after(this.#line);
  }

  show(shown: Shown | undefined): void {
    if (shown?.level.price === this.#held || shown === undefined) this.#held = undefined;
    this.#shown = shown;
    this.#line.hidden = shown === undefined;
    this.#place();
  }

  #place(): void {
    if (this.#shown === undefined) return;
    const { level, time, price, digits } = this.#shown;
    const at = this.#held ?? level.price;
    const isKnown = this.#held === undefined;
    const y = Math.min(Math.max(price.yOf(at), price.top), price.bottom);
    const { offsetLeft, offsetTop } = this.#box;
    this.#line.style.transform = `translate(${offsetLeft + time.boundary}px, ${offsetTop + y}px)`;
    this.#line.style.width = `${time.right - time.boundary}px`;
    this.#line.toggleAttribute('data-low', y < NEAR_TOP_PX);
    this.#line.ariaValueNow = String(at);
    this.#line.ariaValueText = isKnown ? level.text : at.toFixed(digits);
    this.#text.textContent = `${at.toFixed(digits)} ${isKnown ? level.chance : '…'}`;
  }
}
