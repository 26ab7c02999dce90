import { expect } from 'chai';

/** Waits until a condition is true; fails after a minute. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const endMs = performance.now() + 60_000;
  while (!(await isSo())) {
    expect(performance.now(), 'timeout of until()').to.be.below(endMs);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
