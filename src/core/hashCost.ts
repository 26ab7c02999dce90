/** Memory in KiB times passes of the most expensive password hash (argon2id), about 4 s of one processor core. */
export const MOST_HASH_KIB = 4 * 1024 * 1024;

const STORED_FORM = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,7}),p=1\$[\w+/]{1,128}\$[\w+/]{1,128}$/;

/** Undefined for a hash that is not argon2id with one lane. */
export function costOfHash(passwordHash: string): { readonly memoryKib: number; readonly passes: number } | undefined {
  const [, memoryKib, passes] = STORED_FORM.exec(passwordHash) ?? [];
  return memoryKib === undefined ? undefined : { memoryKib: Number(memoryKib), passes: Number(passes) };
}

/** Whether a stored hash has one lane and costs no more than a policy may: one of a forged backup could cost hours. */
export function isAffordableHash(passwordHash: string): boolean {
  const cost = costOfHash(passwordHash);
  return cost !== undefined && cost.memoryKib * cost.passes <= MOST_HASH_KIB;
}
