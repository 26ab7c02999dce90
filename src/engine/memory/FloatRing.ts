import type { ByteReader, ByteWriter } from './bytes.ts';

/** The last `capacity` values in single precision. */
export class FloatRing {
  readonly #values: Float32Array;
  #next = 0;
  #size = 0;

  constructor(capacity: number) {
    this.#values = new Float32Array(capacity);
  }

  get size(): number {
    return this.#size;
  }

  push(value: number): void {
    this.#values[this.#next] = value;
    this.#next = (this.#next + 1) % this.#values.length;
    if (this.#size < this.#values.length) this.#size++;
  }

  /** 0: the newest value; below `size`. */
  at(age: number): number {
    const at = this.#next - 1 - age;
    return this.#values[at < 0 ? at + this.#values.length : at]!;
  }

  save(out: ByteWriter): void {
    out.floats(Float32Array.from({ length: this.#size }, (_, i) => this.at(this.#size - 1 - i)));
  }

  load(from: ByteReader): void {
    for (const value of from.floats(this.#values.length)) this.push(value);
  }
}
