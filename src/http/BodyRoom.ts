import { ServiceError } from '../core/ServiceError.ts';

/** Bytes of batches that are received or worked on, all together: eight of the largest. */
const MOST_BYTES = 64 * 1024 * 1024;
/** Of those, what one key may hold. */
const MOST_BYTES_OF_ONE = MOST_BYTES / 2;

/** How much memory the bodies of batches take: what they may become is counted before they are read. */
export class BodyRoom {
  readonly #byOwner = new Map<string, number>();
  #bytes = 0;

  /** A body of at most so many bytes. Gives what says that it is gone, called once. Throws ServiceError `inference.overloaded`. */
  hold(owner: string, bytes: number): () => void {
    const own = this.#byOwner.get(owner) ?? 0;
    // Where nothing is held, whatever the limit of a body allows goes in.
    const isFull = this.#bytes > 0 && this.#bytes + bytes > MOST_BYTES;
    const isShareFull = own > 0 && own + bytes > MOST_BYTES_OF_ONE;
    if (isFull || isShareFull) {
      const whose = isFull ? 'all callers' : 'this key';
      throw new ServiceError('inference.overloaded', `The service is busy: the batches of ${whose} take all the memory that they may.`, {
        headers: { 'Retry-After': '1' },
      });
    }
    this.#bytes += bytes;
    this.#byOwner.set(owner, own + bytes);
    return () => {
      this.#bytes -= bytes;
      const left = (this.#byOwner.get(owner) ?? 0) - bytes;
      if (left > 0) this.#byOwner.set(owner, left);
      else this.#byOwner.delete(owner);
    };
  }
}
