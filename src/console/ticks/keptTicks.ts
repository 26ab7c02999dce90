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

function openStore(mode: IDBTransactionMode): Promise<IDBObjectStore> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(DATABASE, 1);
    opening.addEventListener('upgradeneeded', () => opening.result.createObjectStore(STORE));
    opening.addEventListener('error', () => reject(opening.error ?? new Error('no database')));
    opening.addEventListener('success', () => {
      const database = opening.result;
      const transaction = database.transaction(STORE, mode);
      const close = (): void => database.close();
      for (const end of ['complete', 'abort'] as const) transaction.addEventListener(end, close);
      resolve(transaction.objectStore(STORE));
    });
  });
}

const done = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error ?? new Error('refused')));
  });

/** Keeps the ticks of one source, at most a million, in this browser. Rejects where the browser refuses. */
export async function keepTicks(source: Source): Promise<void> {
  await done((await openStore('readwrite')).put(source, LAST));
}

export async function forgetTicks(): Promise<void> {
  await done((await openStore('readwrite')).clear());
}

/** Keeps what a replay of these ticks said, for a reload. Rejects where the browser refuses. */
export async function keepReplay(kept: KeptReplay): Promise<void> {
  await done((await openStore('readwrite')).put(kept, REPLAY));
}

/** Null: none is kept by this build, or the browser refuses. */
export async function keptReplay(build: string): Promise<KeptReplay | null> {
  try {
    const kept = (await done((await openStore('readonly')).get(REPLAY))) as Partial<KeptReplay> | undefined;
    return kept?.build === build ? (kept as KeptReplay) : null;
  } catch {
    return null;
  }
}

/** Null: none are kept, they are not what was kept, or the browser refuses. */
export async function keptTicks(): Promise<Source | null> {
  try {
    const kept: unknown = await done((await openStore('readonly')).get(LAST));
    // The file itself is not kept: it cannot be read again in another zone.
    return isSource(kept) ? { ...kept, zone: null } : null;
  } catch {
    return null;
  }
}
