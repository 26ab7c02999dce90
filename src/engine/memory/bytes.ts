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

/** Reads what `ByteWriter` wrote. Throws RangeError beyond the end. */
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
