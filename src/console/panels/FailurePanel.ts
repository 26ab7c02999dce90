import { byId } from '../dom/element.ts';
import type { Failure } from '../service/Failure.ts';
import { failureText } from '../service/failureText.ts';

/** Shows a failed call and the action that helps. */
export class FailurePanel {
  readonly #box = byId('failure', HTMLElement);
  readonly #again = byId('failure-again', HTMLButtonElement);
  #act: () => void = () => {};

  constructor() {
    this.#again.addEventListener('click', () => this.#act());
  }

  show(failure: Failure, action: string, act: () => void): void {
    const { title, text } = failureText(failure);
    byId('failure-title', HTMLElement).textContent = title;
    byId('failure-text', HTMLElement).textContent = text;
    this.#again.textContent = action;
    this.#act = act;
    this.#box.hidden = false;
  }

  hide(): void {
    this.#box.hidden = true;
  }
}
