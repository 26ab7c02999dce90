export const US_PER_MS = 1000;
export const US_PER_SECOND = 1_000_000;
export const US_PER_MINUTE = 60 * US_PER_SECOND;
export const MS_PER_SECOND = 1000;
/** Basis points in one unit of log return. */
export const BPS_PER_UNIT = 10_000;

/** Limits of the wire contract (entries count the future timestamp). */
export const MIN_ENTRIES = 200;
export const MAX_ENTRIES = 3001;
