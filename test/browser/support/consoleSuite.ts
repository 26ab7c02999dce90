import type { Page } from 'playwright-core';
import { ConsoleRig, type VisitOptions } from './ConsoleRig.ts';
import { answered } from './steps.ts';

/** What a test of the console has; only to be used inside of hooks and tests. */
export type Suite = {
  readonly rig: ConsoleRig;
  /** Opens a page with no memory of others, and leaves the one before. No error may go unnoticed on it until it is left, which the end of a test does too. */
  visit(options?: VisitOptions): Promise<Page>;
  /** The same with the sample answered. */
  open(options?: VisitOptions): Promise<Page>;
};

/**
 * Tests of the console in the browser of this machine, with the service of all suites, or with one that the suite may change
 * (`hasOwnService`). Skipped without a browser.
 */
export function consoleSuite(title: string, tests: (suite: Suite) => void, { hasOwnService = false } = {}): void {
  describe(title, () => {
    let rig: ConsoleRig | undefined;

    before(async function () {
      rig = await (hasOwnService ? ConsoleRig.start() : ConsoleRig.shared());
      if (rig === undefined) this.skip();
    });
    after(async () => {
      if (hasOwnService) await rig?.close();
    });
    afterEach(async () => rig?.leave());

    tests({
      get rig() {
        return rig!;
      },
      visit: (options) => rig!.visit(options),
      async open(options) {
        const page = await rig!.visit(options);
        await answered(page);
        return page;
      },
    });
  });
}
