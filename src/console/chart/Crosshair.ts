import { element } from '../dom/element.ts';

/** Pixels within the box; `right` and `bottom` are those of the plot, `width` that of the box. */
type CrosshairPlace = {
  readonly x: number;
  readonly y: number;
  readonly right: number;
  readonly bottom: number;
  readonly width: number;
  readonly time: string;
  readonly price: string;
};

/** Two lines through the pointer, and their labels on both axes. */
export class Crosshair {
  readonly #lines: readonly HTMLElement[];
  readonly #tags: readonly HTMLElement[];

  /** `box`: the element that the chart fills. */
  constructor(box: HTMLElement) {
    const make = (name: string): HTMLElement => element('span', { class: name, 'aria-hidden': 'true' });
    this.#lines = [make('cross-x'), make('cross-y')];
    this.#tags = [make('cross-tag'), make('cross-tag')];
    box.append(...this.#lines, ...this.#tags);
    this.hide();
  }

  hide(): void {
    for (const part of [...this.#lines, ...this.#tags]) part.hidden = true;
  }

  /** The labels stay within the axes, and the one of the price covers a tag below it. */
  show({ x, y, right, bottom, width, time, price }: CrosshairPlace): void {
    for (const part of [...this.#lines, ...this.#tags]) part.hidden = false;
    const [upright, level] = this.#lines as [HTMLElement, HTMLElement];
    const [timeTag, priceTag] = this.#tags as [HTMLElement, HTMLElement];
    upright.style.transform = `translate(${x}px, 0)`;
    upright.style.height = `${bottom}px`;
    level.style.transform = `translate(0, ${y}px)`;
    level.style.width = `${right}px`;
    timeTag.textContent = time;
    priceTag.textContent = price;
    priceTag.style.minWidth = `${width - right - 5}px`;
    const left = Math.min(Math.max(x - timeTag.offsetWidth / 2, 0), right - timeTag.offsetWidth);
    const top = Math.min(Math.max(y - priceTag.offsetHeight / 2, 0), bottom - priceTag.offsetHeight);
    timeTag.style.transform = `translate(${left}px, ${bottom + 4}px)`;
    priceTag.style.transform = `translate(${right + 5}px, ${top}px)`;
  }
}
