import { ConsoleRig, type Visit } from './ConsoleRig.ts';
import { answered } from './steps.ts';

/** What a test of the console has; only to be read inside of hooks and tests. */
export type Suite = {
  readonly rig: ConsoleRig;
  /** A page of its own, with the sample answered. */
  readonly visit: Visit;
};

let starting: Promise<ConsoleRig | undefined> | undefined;

// One service and one browser for all files: a hook outside of every suite ends them after the last one.
after(async () => (await starting)?.close());

/** Tests of the console in the browser of this machine: each on a page of its own, on which nothing must go wrong unseen. Skipped without a browser. */
export function consoleSuite(title: string, tests: (suite: Suite) => void): void {
  describe(title, () => {
    let rig: ConsoleRig | undefined;
    let visit: Visit | undefined;

    before(async function () {
      rig = await (starting ??= ConsoleRig.start());
      if (rig === undefined) this.skip();
    });
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
