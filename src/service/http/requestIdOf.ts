import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** The audit log stores at most 64 characters. */
const FORM = /^[A-Za-z0-9][A-Za-z0-9._:/+=@-]{0,63}$/;
/** An API key is never repeated in an answer, a log or the audit log. */
const KEY = /tkm_/i;

/** The id in X-Request-Id, with which a proxy or caller finds its request in the log, if it has the form of one; otherwise a new one. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const sent = headers['x-request-id'];
  return typeof sent === 'string' && FORM.test(sent) && !KEY.test(sent) ? sent : randomUUID();
}
