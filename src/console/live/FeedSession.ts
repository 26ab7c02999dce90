import { LiveRefusedError, type LiveMessage } from '../../../clients/typescript/src/index.ts';

/** Close code of a key that was not accepted, was revoked or has ended. */
const KEY_REFUSED = 4401;

/** How a session has ended. */
export type FeedEnd = { readonly phase: 'ended' | 'refused' | 'failed'; readonly fault: string | null };
export type Feed = AsyncIterable<LiveMessage> & { close(): void };
export type Retry = { readonly code: number; readonly atMs: number };

/** Reads what a live connection says until it ends: whether there is a connection, what was skipped, and how it ended. */
export abstract class FeedSession {
  readonly #parts: { readonly feed: Feed; readonly nowMs: () => number; readonly onChange: () => void };
  /** How it has ended; undefined: it has not. */
  end: FeedEnd | undefined;
  /** The lost connection; undefined while there is one. */
  retry: Retry | undefined;
  isConnected = false;
  /** Forecasts that the service has skipped, by reason. */
  skipped: Readonly<Record<string, number>> = {};

  constructor(parts: { readonly feed: Feed; readonly nowMs: () => number; readonly onChange: () => void }) {
    this.#parts = parts;
  }

  /** Whether it has not ended. */
  get isRunning(): boolean {
    return this.end === undefined;
  }

  /** Why it has failed; null: it has not. */
  get fault(): string | null {
    return this.end?.fault ?? null;
  }

  stop(): void {
    this.finish('ended');
  }

  /** Ends it at once, for example because the key is gone. */
  fail(fault: string): void {
    this.finish('failed', fault);
  }

  /** A message that came before the end. */
  protected abstract read(message: LiveMessage): void;
  /** Whether an error ends no more than a question. */
  protected survives(): boolean {
    return false;
  }

  /** Called once. */
  protected abstract onEnd(): void;

  /** Never rejects. Called once the session can read. */
  protected async listen(): Promise<void> {
    try {
      for await (const message of this.#parts.feed) if (this.isRunning) this.#take(message);
      this.finish('ended');
    } catch (error) {
      if (error instanceof LiveRefusedError && error.code === KEY_REFUSED) this.finish('refused');
      else this.finish('failed', error instanceof Error ? error.message : String(error));
    }
  }

  protected finish(phase: FeedEnd['phase'], fault: string | null = null): void {
    if (!this.isRunning) return;
    this.end = { phase, fault };
    this.onEnd();
    this.#parts.feed.close();
    this.#parts.onChange();
  }

  protected skip(skipped: Readonly<Record<string, number>> = {}): void {
    const sum = { ...this.skipped };
    for (const [reason, count] of Object.entries(skipped)) sum[reason] = (sum[reason] ?? 0) + count;
    this.skipped = sum;
  }

  #take(message: LiveMessage): void {
    if (message.type === 'connected') [this.isConnected, this.retry] = [true, undefined];
    else if (message.type === 'disconnected')
      [this.isConnected, this.retry] = [false, { code: message.code, atMs: this.#parts.nowMs() + message.wait_ms }];
    if (message.type === 'error' && this.survives()) return;
    if (message.type === 'error') this.finish('failed', `${message.title} ${message.detail}`);
    else this.read(message);
    this.#parts.onChange();
  }
}
