import { fieldProblem, shown, type FieldProblem } from '../core/ServiceError.ts';

const MAX_EMAIL_BYTES = 254;
const MAX_LOCAL_BYTES = 64;

/** RFC 5321 dot-atom, with letters and digits of every script (RFC 6531). No quoted form, blanks or control characters. */
const LOCAL_PART = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u;
const DOMAIN_LABEL = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?$/u;

function brokenRule(email: string): string | undefined {
  if (Buffer.byteLength(email) > MAX_EMAIL_BYTES) return `have at most ${MAX_EMAIL_BYTES} bytes`;
  const parts = email.split('@');
  const [local, domain] = parts;
  if (parts.length !== 2 || local === undefined || domain === undefined) return 'have exactly one @';
  if (Buffer.byteLength(local) > MAX_LOCAL_BYTES) return `have at most ${MAX_LOCAL_BYTES} bytes before the @`;
  if (!LOCAL_PART.test(local)) return 'have letters, digits and dots between them before the @, no blanks';
  const labels = domain.split('.');
  const isDomain = labels.length > 1 || domain.toLowerCase() === 'localhost';
  if (!isDomain || !labels.every((label) => DOMAIN_LABEL.test(label))) return 'have a domain name after the @';
  return undefined;
}

/** The broken rule of an e-mail address, if any. Nothing is trimmed: a blank at either end is a broken rule. */
export function emailProblem(email: string): FieldProblem | undefined {
  const rule = brokenRule(email);
  return rule === undefined ? undefined : fieldProblem('/email', 'email.malformed', `email must ${rule}; it is ${shown(email)}.`);
}

/**
 * The form in which addresses are compared: one account per key. Composed (NFC) and in lower case on both sides of the @:
 * hardly any provider tells the case of the local part apart, and a person who types it another way means the same mailbox.
 */
export function emailKeyOf(email: string): string {
  return email.normalize('NFC').toLowerCase().normalize('NFC');
}
