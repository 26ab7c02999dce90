import { PRICE_LIMIT } from '../../ticks/TickSeries.ts';
import { END_US, MAX_YEAR } from '../../ticks/timestamps.ts';

/** The last minute of the supported years ends then. */
const END_MS = END_US / 1000;
export const MOST_MINUTE = END_MS / 60_000;
/** The ratio of two prices is a number. */
const LEAST_PRICE = 1e-290;
/** ln of the ratio of two prices is smaller. */
export const MOST_MOVE = 800;

/** Little-endian values one after another; so are the arrays of every processor that Node.js has builds for but one (s390x). */
export class ByteWriter {
  readonly #view: DataView;
  readonly #bytes: Uint8Array;
  #at = 0;

  /** `mostBytes`: everything that is written fits. */
  constructor(mostBytes: number) {
    this.#bytes = new Uint8Array(mostBytes);
    this.#view = new DataView(this.#bytes.buffer);
  }

  whole(value: number): void {
    this.#view.setUint32(this.#at, value, true);
    this.#at += 4;
  }

  double(value: number): void {
    this.#view.setFloat64(this.#at, value, true);
    this.#at += 8;
  }

  /** The length of all parts together, then their values. */
  array(...parts: readonly (Float32Array | Float64Array | Uint8Array)[]): void {
    this.whole(parts.reduce((length, part) => length + part.length, 0));
    for (const { buffer, byteOffset, byteLength } of parts) {
      this.#bytes.set(new Uint8Array(buffer, byteOffset, byteLength), this.#at);
      this.#at += byteLength;
    }
  }

  take(): Uint8Array {
    return this.#bytes.slice(0, this.#at);
  }
}

/** Reads what `ByteWriter` wrote. Throws RangeError beyond the end, and for a value that breaks the rule of its reader. */
export class ByteReader {
  readonly #view: DataView;
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  whole(): number {
    const value = this.#view.getUint32(this.#at, true);
    this.#at += 4;
    return value;
  }

  double(): number {
    const value = this.#view.getFloat64(this.#at, true);
    this.#at += 8;
    return value;
  }

  /** `what`: names the value in the message. */
  number(what: string, least: number, most: number): number {
    const value = this.double();
    return value >= least && value <= most ? value : refuse(`${what} is ${value}; it must be from ${least} to ${most}`);
  }

  /** The same, or a value that is not finite for none. */
  numberOrNone(what: string, least: number, most: number): number {
    const value = this.double();
    return !Number.isFinite(value) || (value >= least && value <= most)
      ? value
      : refuse(`${what} is ${value}; it must be from ${least} to ${most}, or none`);
  }

  count(what: string, most = Number.MAX_SAFE_INTEGER): number {
    const value = this.double();
    return Number.isInteger(value) && value >= 0 && value <= most
      ? value
      : refuse(`${what} is ${value}; it must be a whole number from 0 to ${most}`);
  }

  /** Milliseconds since 1970, or NaN for none. */
  time(what: string): number {
    const value = this.double();
    return Number.isNaN(value) || (Number.isInteger(value) && value >= 0 && value <= END_MS)
      ? value
      : refuse(`${what} is ${value}; it must be whole milliseconds of the years 1970 to ${MAX_YEAR}`);
  }

  /** NaN for none. */
  price(what: string): number {
    const value = this.double();
    return Number.isNaN(value) || (value >= LEAST_PRICE && value < PRICE_LIMIT) ? value : refuse(`${what} is ${value}, which is no price`);
  }

  /** A value that is not kept. */
  none(what: string): number {
    const value = this.double();
    return Number.isNaN(value) ? value : refuse(`${what} is ${value}; it is not kept`);
  }

  flag(what: string): boolean {
    const value = this.whole();
    return value <= 1 ? value === 1 : refuse(`${what} is ${value}; it must be 0 or 1`);
  }

  /** Throws RangeError unless values fit together. */
  check(isRight: boolean, what: string): void {
    if (!isRight) refuse(what);
  }

  /** Fills the beginning of an array; returns the number of values. Each must be from `least` to `most`. */
  values(what: string, into: Float32Array | Float64Array | Uint8Array, least: number, most: number): number {
    const length = this.array(into);
    for (let at = 0; at < length; at++)
      if (!(into[at] >= least && into[at] <= most)) refuse(`${what} ${at} is ${into[at]}; it must be from ${least} to ${most}`);
    return length;
  }

  /** Fills the beginning of an array; returns the number of values. */
  array(into: Float32Array | Float64Array | Uint8Array): number {
    const length = this.whole();
    if (length > into.length) throw new RangeError(`${length} values, at most ${into.length} are possible`);
    const end = this.#at + length * into.BYTES_PER_ELEMENT;
    if (end > this.#bytes.length) throw new RangeError(`${length} values, but the bytes end`);
    new Uint8Array(into.buffer, into.byteOffset).set(this.#bytes.subarray(this.#at, end));
    this.#at = end;
    return length;
  }

  /** Throws RangeError if bytes are left. */
  end(): void {
    if (this.#at !== this.#view.byteLength) throw new RangeError(`${this.#view.byteLength - this.#at} bytes too many`);
  }
}

function refuse(why: string): never {
  throw new RangeError(why);
}
