import { domainToASCII, domainToUnicode } from 'node:url';
import { fieldProblem, shown, type FieldProblem } from '../core/ServiceError.ts';

const MAX_EMAIL_BYTES = 254;
const MAX_LOCAL_BYTES = 64;

/** RFC 5321 dot-atom, with letters and digits of every script (RFC 6531). No quoted form, blanks or control characters. */
const LOCAL_PART = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u;
const DOMAIN_LABEL = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?$/u;

function brokenRule(email: string): string | undefined {
  if (Buffer.byteLength(email) > MAX_EMAIL_BYTES) return `have at most ${MAX_EMAIL_BYTES} bytes`;
  if (Buffer.byteLength(emailKeyOf(email)) > MAX_EMAIL_BYTES) return `have at most ${MAX_EMAIL_BYTES} bytes in its compared form`;
  const parts = email.split('@');
  const [local, domain] = parts;
  if (parts.length !== 2 || local === undefined || domain === undefined) return 'have exactly one @';
  if (Buffer.byteLength(local) > MAX_LOCAL_BYTES) return `have at most ${MAX_LOCAL_BYTES} bytes before the @`;
  if (!LOCAL_PART.test(local)) return 'have letters, digits and dots between them before the @, no blanks';
  const labels = domain.split('.');
  const isDomain = labels.length > 1 || domain.toLowerCase() === 'localhost';
  if (!isDomain || !labels.every((label) => DOMAIN_LABEL.test(label)) || !isUts46(domain)) return 'have a domain name after the @';
  return undefined;
}

/** Node.js 20 gives nothing for punycode that decodes to nothing; later versions leave such a label as it is. */
function isUts46(domain: string): boolean {
  const ascii = domainToASCII(domain);
  return ascii !== '' && !/(^|\.)xn--/.test(domainToUnicode(ascii));
}

/** The broken rule of an e-mail address, if any. Nothing is trimmed: a blank at either end is a broken rule. */
export function emailProblem(email: string): FieldProblem | undefined {
  const rule = brokenRule(email);
  return rule === undefined ? undefined : fieldProblem('/email', 'email.malformed', `email must ${rule}; it is ${shown(email)}.`);
}

const compatible = (text: string): string => text.normalize('NFKC').toLowerCase().normalize('NFKC');
/** The compared form before domains and full-width characters were normalised. */
const composed = (text: string): string => text.normalize('NFC').toLowerCase().normalize('NFC');

/** Local part and domain, which is empty where there is no @. */
function split(text: string): [local: string, domain: string] {
  const at = text.lastIndexOf('@');
  return at < 0 ? [text, ''] : [text.slice(0, at + 1), text.slice(at + 1)];
}

/** UTS-46, non-transitional. A text that is no domain stays as it is; a long one too, since the conversion takes quadratic time. */
function convertDomain(domain: string, convert: (domain: string) => string): string {
  return (domain.length <= MAX_EMAIL_BYTES && convert(domain)) || domain;
}

/**
 * The form in which addresses are compared: one account for each. In lower case on both sides of the @: hardly any provider tells the case of the
 * local part apart, and a person who types it another way means the same mailbox. Compatible characters (NFKC, such as full-width letters) are one,
 * and so are the Unicode and the punycode form of a domain (UTS-46). Letters of different scripts that look alike are not.
 */
export function emailKeyOf(email: string): string {
  const [local, domain] = split(compatible(email));
  return local + convertDomain(domain, (name) => domainToUnicode(domainToASCII(name)));
}

/**
 * Every compared form under which the account of an e-mail may be stored: as earlier versions compared what is typed here, `emailKeyOf`, and as
 * they compared its punycode form. Only one for most e-mails.
 */
export function emailKeysOf(email: string): readonly string[] {
  const key = emailKeyOf(email);
  const [local, domain] = split(key);
  return [...new Set([composed(email), key, local + convertDomain(domain, domainToASCII)])];
}
