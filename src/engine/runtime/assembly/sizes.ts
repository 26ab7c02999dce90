/** Bytes of four lanes. */
@inline export const VECTOR: usize = 16;
/** Bytes of four vectors: the four gates of one block, or 16 columns. */
@inline export const TILE: usize = 64;
