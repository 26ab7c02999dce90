/** `notBetter`: a training ended and its version did not pass the gate. */
export const EXIT = { ok: 0, failed: 1, wrongUsage: 2, notBetter: 3 } as const;
