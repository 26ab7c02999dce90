/** Reversed polynomial of CRC-32C (Castagnoli; RFC 3720, appendix B.4). */
const POLYNOMIAL = 0x82f63b78;
const MASK_DELTA = 0xa282ead8;

export function crc32c(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? POLYNOMIAL : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

/** The masked form in TFRecord files: rotated right by 15 bits, plus a constant. */
export function maskedCrc32c(bytes: Uint8Array): number {
  const crc = crc32c(bytes);
  return (((crc >>> 15) | (crc << 17)) + MASK_DELTA) >>> 0;
}
