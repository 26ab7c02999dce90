import { fieldProblem, type FieldProblem } from '../core/ServiceError.ts';
import { isUnicodeText } from './isUnicodeText.ts';

const MIN_ALPHANUMERIC = 8;
const MAX_PASSWORD_BYTES = 1024;

/**
 * All broken rules of a password; no message contains the password. The 8 alphanumeric characters are counted among A–Z, a–z and 0–9, so
 * that the rule is the same on every keyboard; other characters are allowed too. The password is hashed as sent: not trimmed, normalised or
 * truncated. `confirmation` is compared if the form asks twice.
 */
export function passwordProblems(password: string, confirmation: string | undefined): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const add = (pointer: string, code: FieldProblem['code'], detail: string): void => {
    problems.push(fieldProblem(pointer, code, detail));
  };
  const alphanumeric = password.match(/[0-9A-Za-z]/g)?.length ?? 0;
  const bytes = Buffer.byteLength(password);
  if (alphanumeric < MIN_ALPHANUMERIC) {
    add(
      '/password',
      'password.too_short',
      `password must have at least ${MIN_ALPHANUMERIC} alphanumeric characters; it has ${alphanumeric}.`,
    );
  }
  if (bytes > MAX_PASSWORD_BYTES) {
    add('/password', 'password.too_long', `password must have at most ${MAX_PASSWORD_BYTES} bytes of UTF-8; it has ${bytes}.`);
  }
  if (!isUnicodeText(password)) add('/password', 'field.wrong_type', 'password must be Unicode text; it has half a surrogate pair.');
  if (confirmation !== undefined && confirmation !== password) {
    add('/confirm_password', 'password.not_confirmed', 'confirm_password must equal password; it differs.');
  }
  return problems;
}
