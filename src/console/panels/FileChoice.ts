import { byId, element, optionsOf } from '../dom/element.ts';

/** Asks for what a file does not tell. Shown only for such files. */
export class FileChoice {
  readonly #box: HTMLElement;
  readonly #select: HTMLSelectElement;
  /** Of the displayed ticks. */
  #chosen = '';

  constructor(id: string, onChoice: (value: string) => void) {
    this.#box = byId(`${id}-choice`, HTMLElement);
    this.#select = byId(id, HTMLSelectElement);
    this.#select.addEventListener('change', () => onChoice(this.#select.value));
  }

  /** None of `options` hides the choice. `chosen`: how the file was read; null: the user has to say it. */
  show(options: readonly (readonly [value: string, text: string])[], chosen: string | null): void {
    this.#box.hidden = options.length === 0;
    const ask = element('option', { value: '', disabled: true }, 'Choose…');
    this.#select.replaceChildren(...(chosen === null ? [ask] : []), ...optionsOf(options));
    this.#chosen = chosen ?? '';
    this.takeBack();
    if (chosen === null && options.length > 0) this.#select.focus();
  }

  /** The file was not read as chosen: resets the field to what the displayed ticks were read as. */
  takeBack(): void {
    this.#select.value = this.#chosen;
  }
}
