/** Little-endian values one after another; the same values give the same bytes on every machine. */
export class ByteWriter {
  #view: DataView;
  #at = 0;

  /** `mostBytes`: everything that is written fits. */
  constructor(mostBytes: number) {
    this.#view = new DataView(new ArrayBuffer(mostBytes));
  }

  whole(value: number): void {
    this.#view.setUint32(this.#at, value, true);
    this.#at += 4;
  }

  double(value: number): void {
    this.#view.setFloat64(this.#at, value, true);
    this.#at += 8;
  }

  floats(values: ArrayLike<number>): void {
    this.whole(values.length);
    for (let i = 0; i < values.length; i++, this.#at += 4) this.#view.setFloat32(this.#at, values[i]!, true);
  }

  bytes(values: ArrayLike<number>): void {
    this.whole(values.length);
    for (let i = 0; i < values.length; i++, this.#at++) this.#view.setUint8(this.#at, values[i]!);
  }

  take(): Uint8Array {
    return new Uint8Array(this.#view.buffer, 0, this.#at).slice();
  }
}

/** Reads what `ByteWriter` wrote. Throws RangeError beyond the end. */
export class ByteReader {
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
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

  /** At most `most` values. */
  floats(most: number): Float32Array {
    const values = new Float32Array(this.#lengthUpTo(most));
    for (let i = 0; i < values.length; i++, this.#at += 4) values[i] = this.#view.getFloat32(this.#at, true);
    return values;
  }

  bytes(most: number): Uint8Array {
    const values = new Uint8Array(this.#lengthUpTo(most));
    for (let i = 0; i < values.length; i++, this.#at++) values[i] = this.#view.getUint8(this.#at);
    return values;
  }

  /** Throws RangeError if bytes are left. */
  end(): void {
    if (this.#at !== this.#view.byteLength) throw new RangeError(`${this.#view.byteLength - this.#at} bytes too many`);
  }

  #lengthUpTo(most: number): number {
    const length = this.whole();
    if (length > most) throw new RangeError(`${length} values, at most ${most} are possible`);
    return length;
  }
}
