import { formatSpan } from '../ticks/timeText.ts';

export type FailureWords = { readonly title: string; readonly text: string };

const againIn = (seconds: number | null): string => (seconds === null || seconds <= 0 ? 'in a moment' : `in ${formatSpan(seconds * 1000)}`);

/** Describes a failed call: what happened, and what to do. */
export function failureText(failure: Failure): FailureWords {
  const { status, code, fields, retryAfterS, requestId } = failure;
  const quoted = requestId === null ? '' : ` The log has the cause under the request id ${requestId}.`;
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
      title: 'Too many requests.',
      text: `The limit of this key or address is used up. Try again ${againIn(retryAfterS)}.`,
    };
  if (code === 'store.unavailable')
    return {
      title: 'The account store does not answer.',
      text: 'Keys cannot be checked at present. The log of the service has the cause.',
    };
  if (code === 'service.not_ready') return { title: 'The service is starting or stopping.', text: `Try again ${againIn(retryAfterS)}.` };
  if (status === 503 || status === 504)
    return { title: 'The service is overloaded.', text: `It refused the request to stay responsive. Try again ${againIn(retryAfterS)}.` };
  if (code === 'account.signup_closed')
    return { title: 'Sign-up is closed on this service.', text: 'Ask its operator for an account, then sign in with the key.' };
  if (code === 'account.email_taken')
    return {
      title: 'An account with this e-mail exists.',
      text: 'Use another e-mail; or sign in with its key, or with its password for a new key.',
    };
  if (code === 'auth.password_refused')
    return {
      title: 'E-mail and password were not accepted.',
      text: 'Write both as at sign-up. If the password is lost, the operator of the service can issue a key (tickmark keys issue).',
    };
  if (code === 'account.too_many_keys')
    return { title: 'The account has reached its limit of keys.', text: 'Revoke one that is no longer needed, then create a new one.' };
  if (code === 'account.too_many_webhooks')
    return { title: 'The account has five targets already.', text: 'Remove one that is no longer needed, then add a new one.' };
  if (code === 'webhook.unknown')
    return { title: 'The account no longer has this target.', text: 'Sign in again to see its current ones.' };
  if (code === 'key.unknown') return { title: 'The account no longer has this key.', text: 'Sign in again to see its current keys.' };
  if (fields.length > 0) return { title: 'The request is invalid.', text: fields.map(({ detail, hint }) => `${detail} ${hint}`).join(' ') };
  if (status >= 500)
    return {
      title: 'The service had an unexpected error.',
      text: `Try again; if it happens again, ask the operator of the service.${quoted}`,
    };
  return { title: 'The service refused the request.', text: failure.message };
}

/** Why a call has failed, in words. Throws what is no answer of the service. */
export function explain(error: unknown): string {
  if (!(error instanceof Failure)) throw error;
  return Object.values(failureText(error)).join(' ');
}

/** Labels of the page for the field names of the API. */
const FIELD_NAMES: Readonly<Record<string, string>> = {
  email: 'The e-mail',
  password: 'The password',
  company_id: 'The company',
  name: 'The name',
  url: 'The URL',
};
/** Texts by code that replace those of the service, where its text uses field names of the API. */
const SENTENCES: Readonly<Record<string, string>> = { 'password.not_confirmed': 'Both passwords must be equal.' };

/** The text of the service on a field, with the label of the page in place of the API's field name. */
export function fieldText({ pointer, code, detail, hint }: FieldFault): string {
  const known = SENTENCES[code];
  if (known !== undefined) return known;
  const name = pointer.slice(1);
  const label = FIELD_NAMES[name];
  const told = label !== undefined && detail.startsWith(`${name} `) ? label + detail.slice(name.length) : detail;
  return `${told} ${hint}`;
}

export type FieldFault = { readonly pointer: string; readonly code: string; readonly detail: string; readonly hint: string };

/** A call that failed. */
export class Failure extends Error {
  /** 0: no answer arrived. */
  readonly status: number;
  /** A code of the error table; null without a problem answer. */
  readonly code: string | null;
  readonly fields: readonly FieldFault[];
  readonly retryAfterS: number | null;
  readonly requestId: string | null;

  constructor(
    detail: string,
    told: {
      readonly status: number;
      readonly code?: string | null;
      readonly fields?: readonly FieldFault[];
      readonly retryAfterS?: number | null;
      readonly requestId?: string | null;
    },
  ) {
    super(detail);
    this.status = told.status;
    this.code = told.code ?? null;
    this.fields = told.fields ?? [];
    this.retryAfterS = told.retryAfterS ?? null;
    this.requestId = told.requestId ?? null;
  }
}
