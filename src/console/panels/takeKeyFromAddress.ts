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
