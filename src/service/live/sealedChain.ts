import { setImmediate as nextIteration } from 'node:timers/promises';
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

/** Lines of one write of an account. `first` and `n`: lines of the chain before and with this block. */
export type SealedBlock = {
  readonly accountId: string;
  readonly first: number;
  readonly n: number;
  /** Wall clock of the service, never before that of the block before. */
  readonly atMs: number;
  /** Heads before and with this block. */
  readonly previous: string;
  readonly head: string;
  /** An id that no other write has. */
  readonly batch: string;
  /** Each with its line end. */
  readonly lines: string;
};

/** A page of the blocks of an account, from this `first` on. */
type SealedPage = { readonly accountId: string; readonly from: number; readonly limit: number };

/** The part of the account store that keeps sealed forecasts. Every method throws only ServiceError `store.unavailable`. */
export type SealedStore = {
  /** The signing key of the installation; `candidate` is stored if there is none, and without it none is made. */
  sealKey(candidate?: string): Promise<string | undefined>;
  lastSealed(accountId: string): Promise<SealedBlock | undefined>;
  listSealed(page: SealedPage): Promise<readonly SealedBlock[]>;
  /** Stores each block that continues the last one of its account (`first` and `previous`), or whose account has none; whether it did. Blocks of deleted accounts count as stored. */
  addSealed(blocks: readonly SealedBlock[]): Promise<readonly boolean[]>;
  /** Deletes the oldest blocks of an account beyond so many lines, but never the last one. */
  trimSealed(accountId: string, mostLines: number): Promise<void>;
};

/** Blocks that are read in one iteration of the event loop. */
const PAGE_BLOCKS = 20;

/** The blocks of an account, read page by page, so that forecasts go on in between. */
export async function* sealedBlocks(store: Pick<SealedStore, 'listSealed'>, accountId: string, from = 0): AsyncGenerator<SealedBlock> {
  for (let next = from; ;) {
    const page = await store.listSealed({ accountId, from: next, limit: PAGE_BLOCKS });
    yield* page;
    if (page.length < PAGE_BLOCKS) return;
    next = page.at(-1)!.n;
    await nextIteration();
  }
}

export const SEALED_FORMAT = 'tickmark-record/1';
/** Before the first line. */
export const FIRST_HEAD = '0'.repeat(64);

/** The head of a block: SHA-256 of the head before it, its time and its lines, hex. */
export const headAfter = (previous: string, atMs: number, lines: string): string =>
  createHash('sha256').update(`${previous}\n${atMs}\n${lines}`).digest('hex');

export type Place = { readonly n: number; readonly head: string };

export const startLine = ({ n, head }: Place): string => JSON.stringify({ format: SEALED_FORMAT, n, head });
export const blockLine = ({ n, atMs, head }: Pick<SealedBlock, 'n' | 'atMs' | 'head'>): string => JSON.stringify({ n, at: atMs, head });

/** What a seal signs. */
export const signedText = ({ n, head }: Place, atMs: number): string => [SEALED_FORMAT, n, head, atMs].join('\n');

/** Signs heads with the Ed25519 key of the installation. */
export class SealSigner {
  readonly #key: KeyObject;
  readonly #publicKey: string;

  /** `stored`: as `newSealKey` returns it. */
  constructor(stored: string) {
    this.#key = createPrivateKey({ key: Buffer.from(stored, 'base64'), format: 'der', type: 'pkcs8' });
    this.#publicKey = createPublicKey(this.#key).export({ format: 'jwk' }).x!;
  }

  /** A line with the head, the time, the public key and the signature. */
  sealLine(place: Place, atMs: number): string {
    const signature = sign(null, Buffer.from(signedText(place, atMs)), this.#key).toString('base64url');
    return JSON.stringify(['seal', place.n, place.head, atMs, this.#publicKey, signature]);
  }
}

/** PKCS #8, base64. */
export const newSealKey = (): string =>
  generateKeyPairSync('ed25519').privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');
