import { US_PER_MS } from '../../core/units.ts';
import { bytesOfBase64 } from '../../core/base64.ts';
import type { TickSeries } from '../../ticks/TickSeries.ts';
import type { TrainedSpan } from './Lineage.ts';

/** One tick in so many is in the sample, chosen by its hash: the same ones in every window of the same ticks. A power of two. */
export const ONE_IN = 32;
export const FORMAT = 'tickmark-seen/1';
/** As `bin/shippedVersion.js` writes it: the gaps between hashes without their last bits, so that one strange tick in about 32 looks known. */
const SHORT_FORMAT = 'tickmark-seen/2';
const SHORT_BITS = 10;
/** Of a gap of 0. A gap of `LONG_GAP` and more goes on in the next character. */
const FIRST_CODE = 35;
const LONG_GAP = 56;
const TWO_32 = 2 ** 32;

const floats = new Float32Array(1);
const bits = new Uint32Array(floats.buffer);

/**
 * 32 bits, signed, of the millisecond and of the price as a 32-bit float, so that a mid rounded to 15 digits gives the same hash. In the sample
 * they are unsigned: for most ticks the difference would be an object of their own.
 */
export function hashOf(timeUs: number, price: number): number {
  const timeMs = Math.floor(timeUs / US_PER_MS);
  floats[0] = price;
  let hash = Math.imul((timeMs >>> 0) ^ Math.imul(Math.floor(timeMs / TWO_32), 0x9e3779b1), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 15) ^ bits[0], 0xc2b2ae35);
  hash = Math.imul(hash ^ (hash >>> 16), 0x27d4eb2f);
  return hash ^ (hash >>> 15);
}

/** The sample of a version in its `model.json`. */
export type SeenTicksJson = { readonly format: typeof FORMAT; readonly hashes: string };

/** Recognizes the ticks that a version was trained on in a window of them. */
export class SeenTicks {
  /** Ascending. */
  readonly hashes: Uint32Array;
  /** Bits that the hashes lack. */
  readonly #short: number;

  constructor(hashes: Uint32Array, short = 0) {
    this.hashes = hashes;
    this.#short = short;
  }

  /** From its parsed JSON; null if it is not one. */
  static read(value: unknown): SeenTicks | null {
    const { format, hashes } = (value ?? {}) as { readonly format?: unknown; readonly hashes?: unknown };
    if (typeof hashes !== 'string') return null;
    if (format === SHORT_FORMAT) return new SeenTicks(numbersOfGaps(hashes), SHORT_BITS);
    if (format !== FORMAT) return null;
    const numbers = numbersOf(hashes);
    if (numbers === null) return null;
    return numbers.every((hash, at) => at === 0 || hash > numbers[at - 1]) ? new SeenTicks(numbers) : null;
  }

  /** Whether most of the sampled ticks of a window are known. Only windows within the time of a span are hashed. */
  includes({ timesUs, prices }: Pick<TickSeries, 'timesUs' | 'prices'>, spans: readonly Pick<TrainedSpan, 'fromUs' | 'toUs'>[]): boolean {
    const [firstUs, lastUs] = [timesUs[0], timesUs.at(-1)!];
    if (!spans.some(({ fromUs, toUs }) => fromUs <= lastUs && toUs >= firstUs)) return false;
    let [sampled, known] = [0, 0];
    for (let at = 0; at < timesUs.length; at++) {
      const hash = hashOf(timesUs[at], prices[at]);
      if ((hash & (ONE_IN - 1)) !== 0) continue;
      sampled++;
      if (this.#has(hash >>> this.#short)) known++;
    }
    return known > 0 && 2 * known >= sampled;
  }

  #has(hash: number): boolean {
    let [low, high] = [0, this.hashes.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.hashes[middle] < hash) low = middle + 1;
      else high = middle;
    }
    return this.hashes[low] === hash;
  }
}

/** Null for a text that is not base64, or not of whole numbers. */
function numbersOf(base64: string): Uint32Array | null {
  try {
    return new Uint32Array(bytesOfBase64(base64).buffer);
  } catch {
    return null;
  }
}

function numbersOfGaps(text: string): Uint32Array {
  const numbers = [];
  let number = 0;
  for (let at = 0; at < text.length; at++) {
    const gap = text.charCodeAt(at) - FIRST_CODE;
    number += gap;
    if (gap < LONG_GAP) numbers.push(number);
  }
  return Uint32Array.from(numbers);
}
