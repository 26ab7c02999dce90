export const MB = 1_000_000;

/** Decimal units, as on download pages and disks: `274 MB`, `3.4 GB`. */
export const formatMegabytes = (bytes: number): string =>
  bytes >= 1000 * MB ? `${(bytes / 1e9).toFixed(1)} GB` : `${Math.ceil(bytes / MB)} MB`;
