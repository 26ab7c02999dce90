import { domainToASCII, domainToUnicode } from 'node:url';
import { fieldProblem, quoteValue, type FieldProblem } from '../core/ServiceError.ts';

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
