import { isUtf8 } from 'node:buffer';

/**
 * E-mail and password of an Authorization header (RFC 7617, UTF-8); undefined if the header has another form. The password may contain
 * colons, the e-mail may not.
 */
export function readBasic(header: string | undefined): { readonly email: string; readonly password: string } | undefined {
  const [, encoded] = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(header ?? '') ?? [];
  if (encoded === undefined) return undefined;
  const bytes = Buffer.from(encoded, 'base64');
  if (!isUtf8(bytes)) return undefined;
  const text = bytes.toString('utf8');
  const colon = text.indexOf(':');
  return colon < 0 ? undefined : { email: text.slice(0, colon), password: text.slice(colon + 1) };
}
