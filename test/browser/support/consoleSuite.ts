import { ConsoleRig, type Visit } from './ConsoleRig.ts';
import { answered } from './steps.ts';

/** What a test of the console has; only to be read inside of hooks and tests. */
export type Suite = {
  readonly rig: ConsoleRig;
  /** A page of its own, with the sample answered. */
  readonly visit: Visit;
};

/**
 * Tests of the console in the browser of this machine, with a service and a browser for each suite: mocha runs several files in
 * one process, so nothing may outlive the suite that started it. Each test has its own page, on which no error may go unnoticed.
 * Skipped without a browser.
 */
export function consoleSuite(title: string, tests: (suite: Suite) => void): void {
  describe(title, () => {
    let rig: ConsoleRig | undefined;
    let visit: Visit | undefined;

    before(async function () {
      rig = await ConsoleRig.start();
      if (rig === undefined) this.skip();
    });
    after(async () => rig?.close());
    beforeEach(async () => {
      visit = await rig!.visit();
      await answered(visit.page);
    });
    afterEach(async () => {
      const left = visit;
      visit = undefined;
      if (left !== undefined) await rig!.leave(left);
    });

    tests({
      get rig() {
        return rig!;
      },
      get visit() {
        return visit!;
      },
    });
  });
}
