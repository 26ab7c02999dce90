import { setImmediate as nextIteration } from 'node:timers/promises';
import type { Clock } from '../../core/Clock.ts';
import { FairMap } from '../../core/FairMap.ts';
import {
  blockLine,
  FIRST_HEAD,
  headAfter,
  newSealKey,
  type SealedBlock,
  sealedBlocks,
  type SealedStore,
  SealSigner,
  startLine,
} from './sealedChain.ts';
import { dayOf } from './TrackRecord.ts';

export type SealedForecastsDeps = {
  readonly store: SealedStore;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly newBatchId: () => string;
  /** Lines that an account keeps. */
  readonly mostLines: number;
};

/** Lines that wait while the store does not answer: about 2 MB. */
const MAX_WAITING = 20_000;
/** Lines that are weighed together. */
const WEIGHED_LINES = 64;
/** Lines of a block, and blocks of a write: a few milliseconds in SQLite. */
const BLOCK_LINES = 1000;
const BATCH_BLOCKS = 10;
const FIRST_BYTES = 4096;
const LINE_END = 10;
/** Accounts whose last block is known. */
const MOST_HEADS = 10_000;
/** Lines of an account that are added before its oldest are deleted. */
const TRIM_LINES = 1000;

type Head = Pick<SealedBlock, 'n' | 'head' | 'atMs'> & {
  /** Lines that were added since the oldest were deleted. */
  readonly untrimmed: number;
};
const NOTHING = { n: 0, head: FIRST_HEAD, atMs: 0 };
type Draft = {
  readonly accountId: string;
  readonly lines: string;
  readonly count: number;
  readonly batch: string;
  block?: SealedBlock | undefined;
};

/** Lines of one account that wait, as bytes: thousands of strings that live for seconds would be work for the garbage collector. */
class WaitingLines {
  readonly accountId: string;
  count = 0;
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  #length = 0;
  /** Ends of the lines that complete a block. */
  readonly #ends: number[] = [];

  constructor(accountId: string) {
    this.accountId = accountId;
  }

  add(line: string): void {
    const most = this.#length + 3 * line.length + 1;
    if (most > this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes], 2 * most);
    this.#length += this.#bytes.write(line, this.#length);
    this.#bytes[this.#length++] = LINE_END;
    if (++this.count % BLOCK_LINES === 0) this.#ends.push(this.#length);
  }

  /** The lines of each block. */
  blocks(): { readonly lines: string; readonly count: number }[] {
    const ends = this.count % BLOCK_LINES === 0 ? this.#ends : [...this.#ends, this.#length];
    return ends.map((end, i) => ({
      lines: this.#bytes.toString('utf8', ends[i - 1] ?? 0, end),
      count: Math.min(BLOCK_LINES, this.count - i * BLOCK_LINES),
    }));
  }
}

/**
 * Chains the forecasts and outcomes of each account: every write adds a block whose head is a hash of the head before it. Each process writes for
 * itself; the store takes a block only at the end of its chain, and a process that was overtaken chains its block again.
 */
export class SealedForecasts {
  readonly #deps: SealedForecastsDeps;
  #dropped = 0;
  readonly #waiting = new FairMap<WaitingLines>(MAX_WAITING, { onCut: ({ count }) => void (this.#dropped += count) });
  #drafts: Draft[] = [];
  readonly #heads = new FairMap<Head>(MOST_HEADS);
  #signer: Promise<SealSigner> | undefined;

  constructor(deps: SealedForecastsDeps) {
    this.#deps = deps;
  }

  /** Never throws and never waits. */
  add(accountId: string, line: string): void {
    const lines = this.#waiting.get(accountId, '') ?? new WaitingLines(accountId);
    // In steps, because it takes longer than the rest.
    if (lines.count % WEIGHED_LINES === 0) this.#waiting.set(accountId, '', lines, lines.count + WEIGHED_LINES);
    lines.add(line);
  }

  /** Lines that were lost since the last call. */
  takeDropped(): number {
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }

  /** Writes what was added so far. Throws ServiceError `store.unavailable`; what is not written is kept. */
  async write(): Promise<void> {
    for (const waiting of this.#waiting.values())
      for (const block of waiting.blocks()) this.#drafts.push({ accountId: waiting.accountId, ...block, batch: this.#deps.newBatchId() });
    this.#waiting.clear();
    while (this.#drafts.length > 0) {
      await this.#writeSome(this.#drafts.slice(0, BATCH_BLOCKS));
      // SQLite writes without a pause: forecasts go on between two writes.
      if (this.#drafts.length > 0) await nextIteration();
    }
  }

  /** The record of an account: its lines, the head after each block, and a seal of the last head. Throws `store.unavailable`. */
  async *record(accountId: string): AsyncGenerator<string> {
    let place: Omit<Head, 'untrimmed'> | undefined;
    for await (const block of sealedBlocks(this.#deps.store, accountId)) {
      if (place === undefined) yield `${startLine({ n: block.first, head: block.previous })}\n`;
      place = block;
      yield `${block.lines}${blockLine(block)}\n`;
    }
    if (place === undefined) yield `${startLine((place = NOTHING))}\n`;
    // Another process may have another clock.
    yield `${(await this.#sign()).sealLine(place, Math.max(place.atMs, this.#deps.clock.nowMs()))}\n`;
  }

  async #writeSome(drafts: readonly Draft[]): Promise<void> {
    const { store, mostLines } = this.#deps;
    const ends = new Map<string, SealedBlock>();
    for (const draft of drafts) {
      const { accountId } = draft;
      // A block whose write has failed may be stored: it is tried again as it is.
      draft.block ??= await this.#chain(
        draft,
        ends.get(accountId) ?? this.#heads.get(accountId, '') ?? (await store.lastSealed(accountId)) ?? NOTHING,
      );
      ends.set(accountId, draft.block);
    }
    const added = await store.addSealed(drafts.map(({ block }) => block!));
    const done = new Set<Draft>();
    for (const [i, draft] of drafts.entries()) {
      const { accountId, block } = draft;
      if (added[i] === true) {
        const untrimmed = (this.#heads.get(accountId, '')?.untrimmed ?? TRIM_LINES) + draft.count;
        this.#heads.set(accountId, '', { n: block!.n, head: block!.head, atMs: block!.atMs, untrimmed });
        done.add(draft);
        continue;
      }
      // Another process was faster, or the answer of an earlier try was lost.
      if (await this.#isStored(draft)) done.add(draft);
      draft.block = undefined;
      this.#heads.take(accountId, '');
    }
    this.#drafts = this.#drafts.filter((draft) => !done.has(draft));
    for (const accountId of ends.keys()) {
      const head = this.#heads.get(accountId, '');
      if (head === undefined || head.untrimmed < TRIM_LINES) continue;
      await store.trimSealed(accountId, mostLines);
      this.#heads.set(accountId, '', { ...head, untrimmed: 0 });
    }
  }

  async #chain({ accountId, lines: added, count, batch }: Draft, before: Omit<Head, 'untrimmed'>): Promise<SealedBlock> {
    const atMs = Math.max(this.#deps.clock.nowMs(), before.atMs);
    const isNewDay = before.n > 0 && dayOf(before.atMs) !== dayOf(atMs);
    const lines = isNewDay ? `${(await this.#sign()).sealLine(before, atMs)}\n${added}` : added;
    const n = before.n + count + (isNewDay ? 1 : 0);
    return { accountId, first: before.n, n, atMs, previous: before.head, head: headAfter(before.head, atMs, lines), batch, lines };
  }

  async #isStored({ accountId, block, batch }: Draft): Promise<boolean> {
    for await (const one of sealedBlocks(this.#deps.store, accountId, block!.first)) if (one.batch === batch) return true;
    return false;
  }

  #sign(): Promise<SealSigner> {
    this.#signer ??= this.#deps.store.sealKey(newSealKey()).then((key) => new SealSigner(key!));
    this.#signer.catch(() => (this.#signer = undefined));
    return this.#signer;
  }
}
