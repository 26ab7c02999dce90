/** The account of the link that `npm start` prints; no one else can sign up under it. */
const LOCAL_EMAIL = 'local@tickmark.invalid';
const LOCAL_PAGE = /^(?:(?:[a-z0-9-]+\.)*localhost|127(?:\.\d+){3}|\[::1\])$/;

/** Whether a key in the address counts: only on the machine of the service, where `npm start` prints such a link. */
export const takesLinks = (hostname: string): boolean => LOCAL_PAGE.test(hostname);

/**
 * Whether the console uses a key of a link without a question: anyone can send a link with the key of an account of their own, and would see
 * the series that are forecast with it.
 */
export const isOwnLink = (email: string, keptKey: string | null): boolean => email === LOCAL_EMAIL && keptKey === null;

export function questionOf(email: string, keptKey: string | null): string {
  const replaced = keptKey === null ? '' : ' It would replace the key that this tab uses now.';
  return `The address has a key of the account ${email}.${replaced} Use it only if this account is yours: other holders of its keys can see the series and prices that you forecast with it.`;
}
