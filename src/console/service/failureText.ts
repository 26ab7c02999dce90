import { formatSpan } from '../ticks/formatSpan.ts';
import type { Failure, FieldFault } from './Failure.ts';

export type FailureWords = { readonly title: string; readonly text: string };

const againIn = (seconds: number | null): string => (seconds === null || seconds <= 0 ? 'in a moment' : `in ${formatSpan(seconds * 1000)}`);

/** A failed call in plain sentences: what happened, and what to do. */
export function failureText(failure: Failure): FailureWords {
  const { status, code, fields, retryAfterS, requestId } = failure;
  const quoted = requestId === null ? '' : ` Its log has the cause under the request id ${requestId}.`;
  if (status === 0)
    return {
      title: 'The service does not answer.',
      text: 'It may have stopped, or the network is down. Look at the terminal where it runs (npm start), then try again.',
    };
  if (code === 'auth.key_refused')
    return {
      title: 'The key was not accepted.',
      text: 'It may be mistyped, revoked or expired. Sign in with another key, or with your e-mail and password for a new one.',
    };
  if (status === 429)
    return {
      title: 'Too many requests of this kind.',
      text: `The limit of this key or address is used up. Try again ${againIn(retryAfterS)}.`,
    };
  if (code === 'store.unavailable')
    return {
      title: 'The account store does not answer.',
      text: 'Keys cannot be checked at present. Whoever runs the service finds the cause in its log.',
    };
  if (code === 'service.not_ready') return { title: 'The service is starting or stopping.', text: `Try again ${againIn(retryAfterS)}.` };
  if (status === 503 || status === 504)
    return { title: 'The service is too busy just now.', text: `It refused rather than answer late. Try again ${againIn(retryAfterS)}.` };
  if (code === 'account.signup_closed')
    return { title: 'Sign-up is closed on this service.', text: 'Ask whoever runs it for an account, then sign in with the key.' };
  if (code === 'account.email_taken')
    return {
      title: 'An account with this e-mail exists.',
      text: 'Use another e-mail; or sign in with its key, or with its password for a new key.',
    };
  if (code === 'auth.password_refused')
    return {
      title: 'E-mail and password were not accepted.',
      text: 'Write both as at sign-up. If the password is lost, whoever runs the service can issue a key (tickmark keys issue).',
    };
  if (code === 'account.too_many_keys')
    return { title: 'The account has as many keys as it may have.', text: 'Revoke one that is not needed any more, then make a new one.' };
  if (code === 'key.unknown')
    return { title: 'The account has no such key any more.', text: 'Sign in again to see its keys as they are now.' };
  if (fields.length > 0)
    return { title: 'The request breaks a rule.', text: fields.map(({ detail, hint }) => `${detail} ${hint}`).join(' ') };
  if (status >= 500)
    return { title: 'Something went wrong inside the service.', text: `Try again; if it stays, look at the service.${quoted}` };
  return { title: 'The service refused the request.', text: failure.message };
}

/** The service names the fields of the wire; the page has names of its own for them. */
const FIELD_NAMES: Readonly<Record<string, string>> = {
  email: 'The e-mail',
  password: 'The password',
  company_id: 'The company',
  name: 'The name',
};
/** By code, where the sentence of the service speaks of fields that the page calls otherwise. */
const SENTENCES: Readonly<Record<string, string>> = { 'password.not_confirmed': 'Both passwords must be equal.' };

/** The sentences of the service on a field, which begin with its name on the wire. */
export function fieldText({ pointer, code, detail, hint }: FieldFault): string {
  const known = SENTENCES[code];
  if (known !== undefined) return known;
  const name = pointer.slice(1);
  const label = FIELD_NAMES[name];
  const told = label !== undefined && detail.startsWith(`${name} `) ? label + detail.slice(name.length) : detail;
  return `${told} ${hint}`;
}
