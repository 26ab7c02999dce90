import { domainToASCII, domainToUnicode } from 'node:url';
import { fieldProblem, quoteValue, type FieldProblem } from '../../core/ServiceError.ts';

const MAX_EMAIL_BYTES = 254;
const MAX_LOCAL_BYTES = 64;

/** RFC 5321 dot-atom, with letters and digits of every script (RFC 6531). No quoted form, spaces or control characters. */
const LOCAL_PART = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u;
const DOMAIN_LABEL = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?$/u;

function brokenRule(email: string): string | undefined {
  if (Buffer.byteLength(email) > MAX_EMAIL_BYTES) return `have at most ${MAX_EMAIL_BYTES} bytes`;
  if (Buffer.byteLength(emailKeyOf(email)) > MAX_EMAIL_BYTES) return `have at most ${MAX_EMAIL_BYTES} bytes in its normalised form`;
  const parts = email.split('@');
  const [local, domain] = parts;
  if (parts.length !== 2 || local === undefined || domain === undefined) return 'have exactly one @';
  if (Buffer.byteLength(local) > MAX_LOCAL_BYTES) return `have at most ${MAX_LOCAL_BYTES} bytes before the @`;
  if (!LOCAL_PART.test(local)) return 'have only letters, digits and single dots between them before the @, no spaces';
  const labels = domain.split('.');
  const isDomain = labels.length > 1 || domain.toLowerCase() === 'localhost';
  if (!isDomain || !labels.every((label) => DOMAIN_LABEL.test(label)) || !isUts46(domain)) return 'have a domain name after the @';
  return undefined;
}

/** Node.js 20 returns an empty text for punycode that decodes to nothing; later versions keep such a label unchanged. */
function isUts46(domain: string): boolean {
  const ascii = domainToASCII(domain);
  return ascii !== '' && !/(^|\.)xn--/.test(domainToUnicode(ascii));
}

/** The broken rule of an e-mail address, if any. Nothing is trimmed: a space at either end breaks a rule. */
export function emailProblem(email: string): FieldProblem | undefined {
  const rule = brokenRule(email);
  return rule === undefined ? undefined : fieldProblem('/email', 'email.malformed', `email must ${rule}; it is ${quoteValue(email)}.`);
}

const compatible = (text: string): string => text.normalize('NFKC').toLowerCase().normalize('NFKC');
/** The normalised form of older versions, which left domains and full-width characters unchanged. */
const composed = (text: string): string => text.normalize('NFC').toLowerCase().normalize('NFC');

/** Local part and domain; the domain is empty if there is no @. */
function split(text: string): [local: string, domain: string] {
  const at = text.lastIndexOf('@');
  return at < 0 ? [text, ''] : [text.slice(0, at + 1), text.slice(at + 1)];
}

/**
 * UTS-46, non-transitional. A text that is not a domain stays unchanged, and so does a long one, because the conversion takes quadratic
 * time.
 */
function convertDomain(domain: string, convert: (domain: string) => string): string {
  return (domain.length <= MAX_EMAIL_BYTES && convert(domain)) || domain;
}

/**
 * The normalised form of an e-mail: one account for each. Both sides of the @ are in lower case: hardly any provider distinguishes
 * the case of the local part, and a person who types another case means the same mailbox. Compatible characters (NFKC, such as full-width
 * letters) are equal, and so are the Unicode and the punycode form of a domain (UTS-46). Letters of different scripts that look alike are
 * not.
 */
export function emailKeyOf(email: string): string {
  const [local, domain] = split(compatible(email));
  return local + convertDomain(domain, (name) => domainToUnicode(domainToASCII(name)));
}

/**
 * Every normalised form in which the account of an e-mail may be stored: `emailKeyOf`, the form of older versions for the typed
 * text, and the form of older versions for its punycode. Most e-mails have only one.
 */
export function emailKeysOf(email: string): readonly string[] {
  const key = emailKeyOf(email);
  const [local, domain] = split(key);
  return [...new Set([composed(email), key, local + convertDomain(domain, domainToASCII)])];
}

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

/**
 * The account of the console link of `tickmark serve`. No mail goes there, and no person has it: the name ends in a domain that is reserved
 * (RFC 2606).
 */
export const LOCAL_EMAIL = 'local@tickmark.invalid';

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?Z$/;
const MAX_YEARS = 10;
const MS_PER_YEAR = 366 * 86_400_000;

/** Reads the expiry of a key: ISO 8601 in UTC, later than now and within ten years. */
export function parseExpiry(text: string, nowMs: number): number | FieldProblem {
  const malformed = (): FieldProblem =>
    fieldProblem(
      '/expires_at',
      'expires_at.malformed',
      `expires_at must be a time in UTC, 2030-12-31T23:59:59Z; it is ${quoteValue(text)}.`,
    );
  if (!ISO_TIME.test(text)) return malformed();
  const atMs = Date.parse(text);
  // Date.parse reads 30 February as 1 or 2 March.
  if (Number.isNaN(atMs) || new Date(atMs).toISOString().slice(0, 10) !== text.slice(0, 10)) return malformed();
  if (atMs > nowMs && atMs <= nowMs + MAX_YEARS * MS_PER_YEAR) return atMs;
  const detail = `expires_at must be later than now and within ${MAX_YEARS} years; it is ${quoteValue(text)}.`;
  return fieldProblem('/expires_at', 'expires_at.out_of_range', detail);
}

/** Whether the text has no lone surrogate. A lone one becomes U+FFFD in UTF-8, so two different texts would be stored as one. */
export function isUnicodeText(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}
