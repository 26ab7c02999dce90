import type { Ask, Source } from '../Ask.ts';
import type { FromReplayWorker } from '../worker/replayMessages.ts';
import { isSource } from './isSource.ts';

const DATABASE = 'tickmark';
const STORE = 'ticks';
const LAST = 'last';
const REPLAY = 'replay';

/** A replay as its worker told it. `build`: another one may tell it in another form. */
export type KeptReplay = {
  readonly build: string;
  readonly question: string;
  readonly ask: Omit<Ask, 'source' | 'origin'>;
  readonly otherName: string | null;
  readonly messages: readonly FromReplayWorker[];
};

/** What one call of the store gives. Rejects where the browser refuses. */
function ask<T>(mode: IDBTransactionMode, act: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(DATABASE, 1);
    opening.addEventListener('upgradeneeded', () => opening.result.createObjectStore(STORE));
    opening.addEventListener('error', () => reject(opening.error ?? new Error('no database')));
    opening.addEventListener('success', () => {
      const transaction = opening.result.transaction(STORE, mode);
      for (const end of ['complete', 'abort'] as const) transaction.addEventListener(end, () => opening.result.close());
      // What cannot be stored throws at once.
      try {
        const request = act(transaction.objectStore(STORE));
        request.addEventListener('success', () => resolve(request.result));
        request.addEventListener('error', () => reject(request.error ?? new Error('refused')));
      } catch (error) {
        reject(error as Error);
      }
    });
  });
}

/** Keeps the ticks of one source, at most a million, in this browser. Rejects where the browser refuses. */
export const keepTicks = async (source: Source): Promise<void> => void (await ask('readwrite', (store) => store.put(source, LAST)));

export const forgetTicks = (): Promise<void> => ask('readwrite', (store) => store.clear());

/** Keeps what a replay of these ticks said, for a reload. Rejects where the browser refuses. */
export const keepReplay = async (kept: KeptReplay): Promise<void> => void (await ask('readwrite', (store) => store.put(kept, REPLAY)));

/** Undefined: nothing is kept, or the browser refuses. */
const read = (name: string): Promise<unknown> => ask('readonly', (store) => store.get(name)).catch(() => undefined);

/** Null: none is kept by this build, or the browser refuses. */
export async function keptReplay(build: string): Promise<KeptReplay | null> {
  const kept = (await read(REPLAY)) as KeptReplay | undefined;
  return kept?.build === build ? kept : null;
}

/** Null: none are kept, they are not what was kept, or the browser refuses. */
export async function keptTicks(): Promise<Source | null> {
  const kept = await read(LAST);
  // The file itself is not kept: it cannot be read again in another zone.
  return isSource(kept) ? { ...kept, zone: null } : null;
}
