/** FIPS 180-4: the first 32 bits of the fractional parts of the cube roots (64) and square roots (8) of the first primes. */
const [ROUND_CONSTANTS, FIRST_STATE] = fractions();

/** SHA-256 of a text in UTF-8, hex: for short texts, where neither Node.js nor a promise (`crypto.subtle`) may be needed. */
export function sha256(text: string): string {
  const bytes = new TextEncoder().encode(text);
  const padded = new DataView(new ArrayBuffer((bytes.length + 72) & ~63));
  new Uint8Array(padded.buffer).set(bytes);
  padded.setUint8(bytes.length, 0x80);
  padded.setBigUint64(padded.byteLength - 8, BigInt(bytes.length) * 8n);
  const state = FIRST_STATE.slice();
  const words = new Uint32Array(64);
  for (let block = 0; block < padded.byteLength; block += 64) {
    for (let at = 0; at < 16; at++) words[at] = padded.getUint32(block + 4 * at);
    for (let at = 16; at < 64; at++) {
      const [early, late] = [words[at - 15], words[at - 2]];
      const small = turn(early, 7) ^ turn(early, 18) ^ (early >>> 3);
      words[at] = words[at - 16] + small + words[at - 7] + (turn(late, 17) ^ turn(late, 19) ^ (late >>> 10));
    }
    addBlock(state, words);
  }
  return Array.from(state, (word) => word.toString(16).padStart(8, '0')).join('');
}

const turn = (word: number, bits: number): number => (word >>> bits) | (word << (32 - bits));

function addBlock(state: Uint32Array, words: Uint32Array): void {
  let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number];
  for (let at = 0; at < 64; at++) {
    const first = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + ROUND_CONSTANTS[at] + words[at];
    const second = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
  }
  for (const [at, word] of [a, b, c, d, e, f, g, h].entries()) state[at] += word;
}

function fractions(): [Uint32Array, Uint32Array] {
  const primes: number[] = [];
  for (let number = 2; primes.length < 64; number++) if (primes.every((prime) => number % prime !== 0)) primes.push(number);
  const bitsOf = (root: number): number => (root % 1) * 2 ** 32;
  return [
    Uint32Array.from(primes, (prime) => bitsOf(Math.cbrt(prime))),
    Uint32Array.from(primes.slice(0, 8), (prime) => bitsOf(Math.sqrt(prime))),
  ];
}
