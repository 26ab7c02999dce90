import type { Random } from '../../src/core/Random.ts';

const SPECIAL = [NaN, Infinity, -Infinity, -1e300, 1e300, -1, 0, -0, 0.5, 1, 2, 5e-324, 1e12, 2 ** 31, 2 ** 53, -(2 ** 53)];

/** Other bytes: some changed, a number or a count in their place, some cut off, added, or moved. */
export function mutateBytes(bytes: Uint8Array, random: Random): Uint8Array {
  const at = random.integer(bytes.length - 8);
  const mutant = Uint8Array.from(bytes);
  const view = new DataView(mutant.buffer);
  switch (random.integer(7)) {
    case 0:
      mutant[at] = random.integer(256);
      return mutant;
    case 1:
      // As the numbers of a memory lie: after a count of four bytes.
      view.setFloat64(4 + 8 * random.integer(Math.floor((bytes.length - 12) / 8)), SPECIAL[random.integer(SPECIAL.length)], true);
      return mutant;
    case 2:
      view.setFloat64(at, SPECIAL[random.integer(SPECIAL.length)], true);
      return mutant;
    case 3:
      view.setFloat64(at, view.getFloat64(at, true) * (random.integer(2) === 0 ? -1 : 1 + 1e-3), true);
      return mutant;
    case 4:
      view.setUint32(at, random.integer(5000), true);
      return mutant;
    case 5:
      return random.integer(2) === 0 ? mutant.subarray(0, at) : Uint8Array.from([...mutant, ...mutant.subarray(0, 1 + random.integer(16))]);
    default:
      mutant.copyWithin(random.integer(bytes.length), at, at + 1 + random.integer(16));
      return mutant;
  }
}
