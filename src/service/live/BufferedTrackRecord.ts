import { setImmediate as nextIteration } from 'node:timers/promises';
import type { Clock } from '../../core/Clock.ts';
import type { Logger } from '../../core/Logger.ts';
import { FairMap } from '../../core/FairMap.ts';
import { mergeTallies, type Tally } from '../../engine/live/score.ts';
import type { SealedForecasts } from './SealedForecasts.ts';
import { dayOf, readRecord, type RecordKey, type RecordQuery, type RecordRow, type RecordStore, type TrackRecord } from './TrackRecord.ts';

export type BufferedTrackRecordDeps = {
  readonly store: RecordStore;
  readonly clock: Clock;
  readonly logger: Logger;
  /** An id that no other batch has. */
  readonly newBatchId: () => string;
  /** Absent: forecasts are not sealed. */
  readonly sealed?: Pick<SealedForecasts, 'add' | 'write' | 'record' | 'takeDropped'> | undefined;
};

const FLUSH_MS = 10_000;
/** Between two writes of series that end: many short connections do not write more often. */
const SOON_MS = 1000;
/** Rows of one write: a few milliseconds in SQLite, most of them for its sync. */
const BATCH_ROWS = 100;
/** Rows that wait while the store does not answer; beyond, accounts with the most rows lose the oldest, which is counted. About 10 MB. */
const MAX_WAITING = 20_000;

type Waiting = { readonly key: RecordKey; tally: Tally };
type Batch = { readonly id: string; readonly rows: readonly RecordRow[] };

/** Of keys that are used again, as those of a live series, whose every forecast asks twice. */
const texts = new WeakMap<RecordKey, string>();

function textOf(key: RecordKey): string {
  const known = texts.get(key);
  if (known !== undefined) return known;
  const { accountId, day, series, model, bucket, ownThreshold } = key;
  const text = `${accountId} ${day} ${series} ${model} ${bucket} ${ownThreshold}`;
  texts.set(key, text);
  return text;
}

/** Adds up tallies in memory and writes the sums every 10 s. */
export class BufferedTrackRecord implements TrackRecord {
  readonly sealed: TrackRecord['sealed'];
  readonly #deps: BufferedTrackRecordDeps;
  readonly #waiting = new FairMap<Waiting>(MAX_WAITING, { onCut: () => void this.#dropped++ });
  /** Batches that are being written, or whose write has failed: they are repeated as they are. */
  readonly #batches: Batch[] = [];
  #cancelFlush: (() => void) | undefined;
  #isSoon = false;
  #flushedMs = -Infinity;
  #writing: Promise<void> | undefined;
  #dropped = 0;

  constructor(deps: BufferedTrackRecordDeps) {
    this.#deps = deps;
    const { sealed } = deps;
    if (sealed === undefined) return;
    this.sealed = {
      add: (accountId, line) => {
        sealed.add(accountId, line);
        this.#flushLater();
      },
      record: (accountId) => this.#record(sealed, accountId),
    };
  }

  add(key: RecordKey, tally: Tally): void {
    const text = textOf(key);
    const row = this.#waiting.get(key.accountId, text);
    if (row === undefined) this.#waiting.set(key.accountId, text, { key, tally });
    else row.tally = mergeTallies(row.tally, tally);
    this.#flushLater();
  }

  storeSoon(): void {
    if (this.#isSoon) return;
    const waitMs = this.#flushedMs + SOON_MS - this.#deps.clock.monotonicMs();
    if (waitMs <= 0) return this.#flushOrWarn();
    this.#isSoon = true;
    this.#cancelFlush?.();
    this.#cancelFlush = this.#deps.clock.after(waitMs, () => this.#flushOrWarn());
  }

  async rows(query: RecordQuery): Promise<readonly RecordRow[]> {
    // What this process has counted is in the answer.
    await this.flush();
    return readRecord(this.#deps.store, query);
  }

  async *#record(sealed: Pick<SealedForecasts, 'record'>, accountId: string): AsyncGenerator<string> {
    await this.flush();
    yield* sealed.record(accountId);
  }

  /** Writes what was added so far. Throws ServiceError `store.unavailable`; then it is written later. */
  async flush(): Promise<void> {
    this.#cancelFlush?.();
    this.#cancelFlush = undefined;
    this.#isSoon = false;
    this.#flushedMs = this.#deps.clock.monotonicMs();
    await this.#writing?.catch(() => {});
    this.#writing ??= this.#write().finally(() => (this.#writing = undefined));
    try {
      await this.#writing;
    } catch (error) {
      this.#flushLater();
      throw error;
    }
  }

  #flushLater(): void {
    this.#cancelFlush ??= this.#deps.clock.after(FLUSH_MS, () => this.#flushOrWarn());
  }

  #flushOrWarn(): void {
    this.flush().catch((error: unknown) => this.#deps.logger.warn('track record not written; it is tried again', { error }));
  }

  async #write(): Promise<void> {
    const { store, clock, logger, newBatchId, sealed } = this.#deps;
    while (this.#batches.length > 0 || this.#waiting.size > 0) {
      if (this.#batches.length === 0) {
        const addedDay = dayOf(clock.nowMs());
        const rows = this.#waiting.values().map(({ key, tally }) => ({ ...key, tally, addedDay }));
        this.#waiting.clear();
        for (let at = 0; at < rows.length; at += BATCH_ROWS)
          this.#batches.push({ id: newBatchId(), rows: rows.slice(at, at + BATCH_ROWS) });
      }
      for (let batch = this.#batches[0]; batch !== undefined; batch = this.#batches[0]) {
        await store.addRecords(batch.rows, batch.id);
        this.#batches.shift();
        // SQLite writes without a pause: forecasts go on between two batches.
        if (this.#batches.length > 0) await nextIteration();
      }
    }
    await sealed?.write();
    const dropped = this.#dropped + (sealed?.takeDropped() ?? 0);
    if (dropped > 0) logger.warn('track record incomplete: the store did not answer for too long', { dropped });
    this.#dropped = 0;
  }
}
