import type { BodyChecks } from '../../../contract/compileBodyChecks.ts';
import { MAX_ITEMS } from '../../../contract/tickBatch.ts';
import { fieldProblem, invalidRequest, ServiceError } from '../../../core/ServiceError.ts';
import { parseJsonBody } from '../parseJsonBody.ts';

const QUOTE = 34;
const COMMA = 44;
const ZERO = 48;
const COLON = 58;
const OPEN_LIST = 91;
const BACKSLASH = 92;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

/** The frame, all that is around the items, needs twelve bytes. */
const MAX_FRAME_BYTES = 64 * 1024;

const isOpening = (c: number): boolean => c === OPEN_OBJECT || c === OPEN_LIST;
const isClosing = (c: number): boolean => c === CLOSE_OBJECT || c === CLOSE_LIST;
/** White space of JSON: tab, line feed, carriage return, space. */
const isSpace = (c: number): boolean => c === 32 || c === 10 || c === 13 || c === 9;

/**
 * Finds the start and the end of each item of a batch without parsing it, by counting brackets outside strings. The frame around the items
 * is copied, with a 0 in place of each item and `[]` or `{}` in place of other nested values; the caller validates it.
 */
class ItemFinder {
  /** From the first byte of each item to the byte after its last; spaces may follow. */
  readonly items: (readonly [from: number, to: number])[] = [];
  readonly frame: number[] = [];
  readonly #bytes: Uint8Array;
  #at = 0;
  #depth = 0;
  /** Whether the list at depth 2 is the list of items; only the first list can be. */
  #isInItems = false;
  #hasItems = false;
  #itemFrom = -1;
  /** Position of the last string at depth 1. */
  #keyFrom = 0;
  #keyTo = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isDone(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /**
   * Scans about `stretch` more bytes. Throws ServiceError `request.invalid` at the first item above the maximum, `request.too_large` for
   * the frame.
   */
  step(stretch: number): void {
    const until = Math.min(this.#bytes.length, this.#at + stretch);
    while (this.#at < until) {
      const seenTo = this.#isInItems ? 2 : 1;
      if (this.#depth > seenTo) this.#skip(seenTo, until);
      else if (this.#isInItems) this.#readBetweenItems();
      else this.#readFrame();
    }
  }

  /** Skips everything deeper than `seenTo`, up to the closing bracket. */
  #skip(seenTo: number, until: number): void {
    const bytes = this.#bytes;
    let at = this.#at;
    let depth = this.#depth;
    while (at < until && depth > seenTo) {
      const c = bytes[at];
      if (c === QUOTE) at = this.#stringEnd(at);
      else {
        at++;
        if (isOpening(c)) depth++;
        else if (isClosing(c)) depth--;
      }
    }
    this.#at = at;
    this.#depth = depth;
    if (depth === seenTo && !this.#isInItems) this.#copy(at - 1, at);
  }

  #readBetweenItems(): void {
    const from = this.#at;
    const c = this.#bytes[from];
    this.#at = c === QUOTE ? this.#stringEnd(from) : from + 1;
    if (c === COMMA || isClosing(c)) {
      if (this.#itemFrom >= 0) this.items.push([this.#itemFrom, from]);
      this.#itemFrom = -1;
      this.#copy(from, from + 1);
      if (c === COMMA) return;
      this.#depth--;
      this.#isInItems = false;
      return;
    }
    if (this.#itemFrom < 0 && !isSpace(c)) this.#beginItem(from);
    if (isOpening(c)) this.#depth++;
  }

  #beginItem(from: number): void {
    if (this.items.length === MAX_ITEMS) {
      throw invalidRequest([fieldProblem('/items', 'items.too_many', `items must have at most ${MAX_ITEMS} entries; it has more.`)]);
    }
    this.#itemFrom = from;
    this.frame.push(ZERO);
  }

  #readFrame(): void {
    const from = this.#at;
    const c = this.#bytes[from];
    this.#at = c === QUOTE ? this.#stringEnd(from) : from + 1;
    this.#copy(from, this.#at);
    if (c === QUOTE && this.#depth === 1) {
      this.#keyFrom = from;
      this.#keyTo = this.#at;
    } else if (isOpening(c)) {
      this.#depth++;
      if (c === OPEN_LIST && this.#depth === 2 && !this.#hasItems) this.#hasItems = this.#isInItems = this.#isValueOfItems(from);
    } else if (isClosing(c)) this.#depth--;
  }

  #isValueOfItems(from: number): boolean {
    let at = this.#keyTo;
    const skipSpace = (): void => {
      while (this.#bytes[at] <= 32) at++;
    };
    skipSpace();
    if (this.#bytes[at++] !== COLON) return false;
    skipSpace();
    if (at !== from) return false;
    const key = Buffer.from(this.#bytes.subarray(this.#keyFrom, this.#keyTo)).toString('utf8');
    try {
      return JSON.parse(key) === 'items';
    } catch {
      return false;
    }
  }

  /** Index after the quote that ends the string starting at `from`, or the end of the body. */
  #stringEnd(from: number): number {
    const bytes = this.#bytes;
    let at = from + 1;
    while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
    return Math.min(at + 1, bytes.length);
  }

  #copy(from: number, to: number): void {
    if (this.frame.length + to - from > MAX_FRAME_BYTES) {
      throw new ServiceError('request.too_large', `The part around the items must be at most ${MAX_FRAME_BYTES} bytes; it is larger.`);
    }
    for (let i = from; i < to; i++) this.frame.push(this.#bytes[i]);
  }
}

/** Bytes scanned between two pauses: less than half a millisecond. */
const STRETCH_BYTES = 256 * 1024;

/**
 * Splits the body of a batch into items, each as the bytes that were sent; the items are not validated. Waits for `pause` at intervals, so
 * that a large body does not block the event loop. Throws ServiceError `request.malformed_json`, `request.duplicate_key`,
 * `request.too_large`, `request.invalid` for the part around the items, and the errors of `pause`.
 */
export async function splitItems(
  body: Buffer,
  checks: Pick<BodyChecks, 'tickBatchFrame'>,
  pause: () => Promise<void>,
): Promise<readonly Buffer[]> {
  const finder = new ItemFinder(new Uint8Array(body.buffer, body.byteOffset, body.byteLength));
  for (finder.step(STRETCH_BYTES); !finder.isDone; finder.step(STRETCH_BYTES)) await pause();
  checks.tickBatchFrame(parseFrame(Buffer.from(finder.frame)));
  return finder.items.map(([from, to]) => body.subarray(from, to));
}

function parseFrame(frame: Buffer): unknown {
  try {
    return parseJsonBody(frame);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    // The position refers to the frame, which the caller did not send.
    throw new ServiceError(error.code, error.message.replace(/ at character \d+/, ' around its items'));
  }
}
