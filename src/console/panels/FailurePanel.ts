import { byId, showFault } from '../dom/element.ts';
import { type Failure, failureText, fieldText } from '../service/failureText.ts';

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

/** Maps the codes of failures that concern one field to that field, if the form has it. */
const FIELD_OF_CODE: Readonly<Record<string, string>> = {
  'account.email_taken': 'email',
  'auth.key_refused': 'key',
  'auth.password_refused': 'login-password',
};

/** Shows each error next to its form field and focuses the first of them; an error without a field is shown under the form. */
export function showFailure(form: HTMLFormElement, failure: Failure): void {
  const fieldNamed = (name: string): HTMLInputElement | null => {
    const field = form.elements.namedItem(name);
    return field instanceof HTMLInputElement ? field : null;
  };
  const words = Object.values(failureText(failure)).join(' ');
  const shown = failure.fields.filter((fault) => {
    const field = fieldNamed(fault.pointer.slice(1));
    if (field !== null) showFault(field.id, fieldText(fault));
    return field !== null;
  });
  const blamed = fieldNamed(FIELD_OF_CODE[failure.code ?? ''] ?? '');
  if (blamed !== null) showFault(blamed.id, words);
  else if (shown.length === 0) {
    const told = form.querySelector<HTMLElement>('[data-fault]');
    if (told !== null) {
      told.hidden = false;
      told.textContent = words;
    }
  }
  form.querySelector<HTMLElement>('[aria-invalid]')?.focus();
}
