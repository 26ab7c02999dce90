import { SESSION } from './Service.ts';

/** Used only if the user chooses it; never localStorage, which outlives the tab. */
const KEPT = 'tickmark.key';
const CHANNEL = 'tickmark.key';

/** The key that this tab keeps over a reload. */
export const keptKey = (): string | null => sessionStorage.getItem(KEPT);

export function keepKey(key: string | null): void {
  if (key === null) sessionStorage.removeItem(KEPT);
  else sessionStorage.setItem(KEPT, key);
}

const SIGNED_IN = 'tickmark.session';

/** E-mail of the session that this browser had last; null: none. It may have ended. */
export const keptSession = (): string | null => localStorage.getItem(SIGNED_IN);

export function keepSession(email: string | null): void {
  if (email === null) localStorage.removeItem(SIGNED_IN);
  else localStorage.setItem(SIGNED_IN, email);
}

type Message = { readonly ask: true } | { readonly key: string };

/** Gives the key of this page to pages of this service in other tabs that ask for it. It leaves neither the browser nor the origin. */
export function shareKey(key: () => string | null): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    const shared = 'ask' in data ? key() : null;
    if (shared !== null && shared !== SESSION) channel.postMessage({ key: shared } satisfies Message);
  };
}

/** Asks the console in another tab for its key. */
export function askForKey(onKey: (key: string) => void): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (!('key' in data)) return;
    channel.close();
    onKey(data.key);
  };
  channel.postMessage({ ask: true } satisfies Message);
}
