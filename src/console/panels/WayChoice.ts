import { byId, element } from '../dom/element.ts';
import { wayText } from '../worker/readingWay.ts';

/** Selects how a file is read that can be read in several ways. Shown only for such files. */
export class WayChoice {
  readonly #box = byId('way-choice', HTMLElement);
  readonly #select = byId('way', HTMLSelectElement);

  constructor(onChoice: (way: string) => void) {
    this.#select.addEventListener('change', () => onChoice(this.#select.value));
  }

  /** `ways`: those that are possible; none hides the choice. `chosen`: the one in which the ticks were read. */
  show(ways: readonly string[], chosen: string | null): void {
    this.#box.hidden = ways.length === 0;
    const ask = element('option', { value: '', disabled: true, selected: chosen === null }, 'Choose…');
    const options = ways.map((way) => element('option', { value: way, selected: way === chosen }, wayText(way)));
    this.#select.replaceChildren(...(chosen === null ? [ask] : []), ...options);
    if (chosen === null && ways.length > 0) this.#select.focus();
  }
}
