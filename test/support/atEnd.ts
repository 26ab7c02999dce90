type Close = () => Promise<void>;

// Global, because a bundled test file has its own copy of this module.
const closings = ((globalThis as { tickmarkClosings?: Close[] }).tickmarkClosings ??= []);

/**
 * Closes what several test files use, last opened first: at the end of all files without `--parallel`, else of each file, since the
 * processes of mocha are not told which file is their last. Loaded by mocha in each of its processes (.mocharc.cjs).
 */
export function atEnd(close: Close): void {
  closings.push(close);
}

export const mochaHooks = {
  async afterAll(): Promise<void> {
    for (const close of closings.splice(0).toReversed()) await close();
  },
};
