import { ServiceError } from '../../../core/ServiceError.ts';

const BYTES_PER_MB = 1_000_000;

/**
 * Memory for the open series of all connections of a worker. An account may have as many bytes as are free (dynamic thresholds: Choudhury and Hahne,
 * 1998), so one account gets half of it, and some is always free for another one.
 */
export class LiveBudget {
  readonly #mostBytes: number;
  readonly #byAccount = new Map<string, number>();
  #bytes = 0;

  constructor(mostMb: number) {
    this.#mostBytes = mostMb * BYTES_PER_MB;
  }

  /** Throws ServiceError `limit.exceeded` if the account has too many bytes already. Call what it returns once when the series is closed. */
  take(accountId: string, bytes: number): () => void {
    const held = this.#byAccount.get(accountId) ?? 0;
    if (held + bytes > this.#mostBytes - this.#bytes) {
      const detail = `The open series of the account may need ${inMb(held)} MB; with this one, they would need more than is free.`;
      throw new ServiceError('limit.exceeded', detail, { headers: { 'Retry-After': '1' } });
    }
    this.#add(accountId, bytes);
    return () => this.#add(accountId, -bytes);
  }

  #add(accountId: string, bytes: number): void {
    const held = (this.#byAccount.get(accountId) ?? 0) + bytes;
    this.#bytes += bytes;
    if (held === 0) this.#byAccount.delete(accountId);
    else this.#byAccount.set(accountId, held);
  }
}

const inMb = (bytes: number): string => (bytes / BYTES_PER_MB).toFixed(1);
