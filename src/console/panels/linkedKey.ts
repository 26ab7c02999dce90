/** The account of the link that `npm start` prints; no one else can sign up under it. */
const LOCAL_EMAIL = 'local@tickmark.invalid';
const LOCAL_PAGE = /^(?:(?:[a-z0-9-]+\.)*localhost|127(?:\.\d+){3}|\[::1\])$/;
const KEY_FRAGMENT = /^#key=(tkm_live_[0-9A-Za-z]{33})$/;

/**
 * The key in the fragment of the address, as in the link that `npm start` prints; null where there is none. A fragment is sent to no server. It is taken
 * out of the address bar and of the history of the tab, so that it is not copied or shown with the address.
 */
export function takeKeyFromAddress(
  { hash, pathname, search }: { readonly hash: string; readonly pathname: string; readonly search: string },
  history: { replaceState(state: null, unused: string, url: string): void },
): string | null {
  if (!hash.startsWith('#key=')) return null;
  history.replaceState(null, '', pathname + search);
  return KEY_FRAGMENT.exec(hash)?.[1] ?? null;
}

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
