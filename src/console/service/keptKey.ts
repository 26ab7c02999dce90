import { keepText, keptText, OF_TAB } from '../dom/storage.ts';
import { SESSION } from './Service.ts';

const KEPT = 'tickmark.key';
const CHANNEL = 'tickmark.key';
const SIGNED_IN = 'tickmark.session';

/** The key that this tab keeps over a reload, if the user chose that; never in localStorage, which outlives the tab. */
export const keptKey = (): string | null => keptText(KEPT, OF_TAB);
export const keepKey = (key: string | null): void => keepText(KEPT, key, OF_TAB);

/** E-mail of the session that this browser had last; null: none. It may have ended. */
export const keptSession = (): string | null => keptText(SIGNED_IN);
export const keepSession = (email: string | null): void => keepText(SIGNED_IN, email);

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
