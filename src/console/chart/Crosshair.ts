import { element } from '../dom/element.ts';

/** The labels of the crosshair on both axes: time and price at the pointer. */
export class Crosshair {
  readonly #time = element('span', { class: 'cross-tag', 'aria-hidden': 'true' });
  readonly #price = element('span', { class: 'cross-tag', 'aria-hidden': 'true' });

  /** `wrap`: the element that both axes and the plot stand in. */
  constructor(wrap: HTMLElement) {
    wrap.append(this.#time, this.#price);
    this.hide();
  }

  hide(): void {
    this.#time.hidden = this.#price.hidden = true;
  }

  /** Places are CSS pixels within the plot, whose box is that of `over`. */
  show({ left, top, time, price }: { left: number; top: number; time: string; price: string }, over: HTMLElement): void {
    this.#time.hidden = this.#price.hidden = false;
    this.#time.textContent = time;
    this.#price.textContent = price;
    const { offsetLeft, offsetTop, offsetWidth, offsetHeight } = over;
    const half = this.#time.offsetWidth / 2;
    const x = Math.min(Math.max(offsetLeft + left, half), (over.parentElement?.clientWidth ?? offsetWidth) - half);
    this.#time.style.transform = `translate(${x - half}px, ${offsetTop + offsetHeight + 4}px)`;
    this.#price.style.transform = `translate(${offsetLeft + offsetWidth + 5}px, ${offsetTop + top - this.#price.offsetHeight / 2}px)`;
  }
}
