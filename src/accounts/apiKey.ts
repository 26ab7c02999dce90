import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * A key is `tkm_live_`, 27 random characters of base62 (160.8 bits) and the CRC-32 of both as 6 characters of base62. The checksum detects
 * typing errors without a store call; only the random part gives security.
 */
const SCHEME = 'tkm_live_';
const RANDOM_LENGTH = 27;
const CHECKSUM_LENGTH = 6;
const KEY_LENGTH = SCHEME.length + RANDOM_LENGTH + CHECKSUM_LENGTH;
/** 4 random characters distinguish the keys of an owner and leave 137 bits unknown to a reader. */
const PREFIX_LENGTH = SCHEME.length + 4;

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SHAPE = /^tkm_live_[0-9A-Za-z]{33}$/;
/** Bytes from here on are discarded: 248 is the largest multiple of 62 in a byte, so all characters are equally likely. */
const FIRST_REFUSED_BYTE = 248;

/** Returns `count` unpredictable bytes: `randomBytes` of node:crypto, except in tests. */
export type RandomBytes = (count: number) => Uint8Array;

function randomCharacters(count: number, randomBytes: RandomBytes): string {
  let text = '';
  while (text.length < count) {
    for (const byte of randomBytes(count - text.length)) {
      if (byte < FIRST_REFUSED_BYTE) text += ALPHABET.charAt(byte % ALPHABET.length);
    }
  }
  return text;
}

/** CRC-32 (ISO-HDLC, as in zlib) of the text, fixed width, most significant digit first. */
function checksumOf(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = ALPHABET.charAt(rest % ALPHABET.length) + digits;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return digits;
}

/** A new key. Show it once and keep only its digest. */
export function createApiKey(randomBytes: RandomBytes): string {
  const body = SCHEME + randomCharacters(RANDOM_LENGTH, randomBytes);
  return body + checksumOf(body);
}

/** Whether the text has the form of a key and a correct checksum; the work is bounded for any text. */
export function isWellFormedKey(text: string): boolean {
  if (text.length !== KEY_LENGTH || !SHAPE.test(text)) return false;
  return checksumOf(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);
}

/** SHA-256 of the whole key, hex: the store finds keys by it. */
export function digestOfKey(key: string): string {
  return hash('sha256', key, 'hex');
}

/** First characters of a key, for display. */
export function displayPrefix(key: string): string {
  return key.slice(0, PREFIX_LENGTH);
}
