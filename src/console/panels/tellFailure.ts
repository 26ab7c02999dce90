import { showFault } from '../dom/fieldFaults.ts';
import type { Failure } from '../service/Failure.ts';
import { failureText } from '../service/failureText.ts';

/** The service names the fields of the wire; the page has names of its own for them. */
const FIELD_NAMES: readonly (readonly [RegExp, string])[] = [
  [/^email\b/, 'The e-mail'],
  [/^password\b/, 'The password'],
  [/^confirm_password must equal password; it differs\./, 'Both passwords must be equal.'],
  [/ Send the same text as password and confirm_password\./, ''],
  [/^company_id\b/, 'The company'],
  [/^name\b/, 'The name'],
];

const named = (text: string): string => FIELD_NAMES.reduce((told, [name, label]) => told.replace(name, label), text);

/** Failures that are about one field, by code; the field only where the form has it. */
const FIELD_OF_CODE: Readonly<Record<string, string>> = {
  'account.email_taken': 'email',
  'auth.key_refused': 'key',
  'auth.password_refused': 'login-password',
};

/** Tells each fault beside the field of the form that it names, goes to the first of them, and tells what names none under the form. */
export function tellFailure(form: HTMLFormElement, failure: Failure): void {
  const fieldNamed = (name: string): HTMLInputElement | null => {
    const field = form.elements.namedItem(name);
    return field instanceof HTMLInputElement ? field : null;
  };
  const words = Object.values(failureText(failure)).join(' ');
  const shown = failure.fields.filter(({ pointer, detail, hint }) => {
    const field = fieldNamed(pointer.slice(1));
    if (field !== null) showFault(field.id, named(`${detail} ${hint}`));
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
