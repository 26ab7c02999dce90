import { formatSpan } from '../ticks/timeText.ts';

type FailureWords = readonly [title: string, text: string];

/** By code of the error table. */
const WORDS: Readonly<Record<string, FailureWords>> = {
  'auth.key_refused': [
    'The key was not accepted.',
    'It may be mistyped, revoked or expired. Sign in with another key, or with your e-mail and password for a new one.',
  ],
  'store.unavailable': ['The account store does not answer.', 'Keys cannot be checked at present. The log of the service has the cause.'],
  'account.signup_closed': ['Sign-up is closed on this service.', 'Ask its operator for an account, then sign in with the key.'],
  'account.email_taken': [
    'An account with this e-mail exists.',
    'Use another e-mail; or sign in with its key, or with its password for a new key.',
  ],
  'auth.password_refused': [
    'E-mail and password were not accepted.',
    'Write both as at sign-up. If the password is lost, the operator of the service can issue a key (tickmark keys issue).',
  ],
  'account.too_many_keys': ['The account has reached its limit of keys.', 'Revoke one that is no longer needed, then create a new one.'],
  'account.too_many_webhooks': ['The account has five targets already.', 'Remove one that is no longer needed, then add a new one.'],
  'webhook.unknown': ['The account no longer has this target.', 'Sign in again to see its current ones.'],
  'key.unknown': ['The account no longer has this key.', 'Sign in again to see its current keys.'],
};

function wordsOf({ status, code, fields, retryAfterS, requestId, message }: Failure): FailureWords {
  const again = `Try again ${retryAfterS === null || retryAfterS <= 0 ? 'in a moment' : `in ${formatSpan(retryAfterS * 1000)}`}.`;
  if (status === 0)
    return [
      'The service does not answer.',
      'It may have stopped, or the network is down. Look at the terminal where it runs (npm start), then try again.',
    ];
  if (status === 429) return ['Too many requests.', `The limit of this key or address is used up. ${again}`];
  if (code === 'service.not_ready') return ['The service is starting or stopping.', again];
  const known = WORDS[code ?? ''];
  if (known !== undefined) return known;
  if (status === 503 || status === 504) return ['The service is overloaded.', `It refused the request to stay responsive. ${again}`];
  if (fields.length > 0) return ['The request is invalid.', fields.map(({ detail, hint }) => `${detail} ${hint}`).join(' ')];
  if (status < 500) return ['The service refused the request.', message];
  const quoted = requestId === null ? '' : ` The log has the cause under the request id ${requestId}.`;
  return ['The service had an unexpected error.', `Try again; if it happens again, ask the operator of the service.${quoted}`];
}

/** Describes a failed call: what happened, and what to do. */
export function failureText(failure: Failure): { readonly title: string; readonly text: string } {
  const [title, text] = wordsOf(failure);
  return { title, text };
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

type Told = {
  /** 0: no answer arrived. */
  readonly status: number;
  /** A code of the error table; null without a problem answer. */
  readonly code: string | null;
  readonly fields: readonly FieldFault[];
  readonly retryAfterS: number | null;
  readonly requestId: string | null;
};
/** A Failure as a message carries it: its class is lost. */
export type FailureData = Told & { readonly message: string };

/** A call that failed. */
export class Failure extends Error implements Told {
  readonly status: number;
  readonly code: string | null;
  readonly fields: readonly FieldFault[];
  readonly retryAfterS: number | null;
  readonly requestId: string | null;

  constructor(detail: string, { status, code, fields, retryAfterS, requestId }: Pick<Told, 'status'> & Partial<Told>) {
    super(detail);
    this.status = status;
    this.code = code ?? null;
    this.fields = fields ?? [];
    this.retryAfterS = retryAfterS ?? null;
    this.requestId = requestId ?? null;
  }
}

/** What a call in a worker threw: a Failure, or an EngineError, whose codes and fields are those of the service. */
export function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error;
  const {
    message,
    code,
    fieldErrors: fields = [],
  } = error as Error & { readonly code?: string; readonly fieldErrors?: readonly FieldFault[] };
  return code === undefined ? new Failure(String(error), { status: 500 }) : new Failure(message, { status: 422, code, fields });
}

export function failureData(error: unknown): FailureData {
  const { message, status, code, fields, retryAfterS, requestId } = failureOf(error);
  return { message, status, code, fields, retryAfterS, requestId };
}
