import { byId, element, showFault } from '../dom/element.ts';
import { explain, type Failure, failureText, fieldText } from '../service/failureText.ts';

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
  const fieldNamed = (name: string): Element | RadioNodeList | null => form.elements.namedItem(name);
  const words = explain(failure);
  const shown = failure.fields.filter((fault) => {
    const field = fieldNamed(fault.pointer.slice(1));
    if (field instanceof HTMLInputElement) showFault(field.id, fieldText(fault));
    return field instanceof HTMLInputElement;
  });
  const blamed = fieldNamed(FIELD_OF_CODE[failure.code ?? ''] ?? '');
  if (blamed instanceof HTMLInputElement) showFault(blamed.id, words);
  else if (shown.length === 0)
    form.querySelector('.row.end')?.before(element('p', { class: 'fault', 'data-fault': true, role: 'alert' }, words));
  form.querySelector<HTMLElement>('[aria-invalid]')?.focus();
}
