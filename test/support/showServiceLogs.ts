import Mocha from 'mocha';
import { forgetLogs, lastLines } from './serviceLogs.ts';

// Loaded by mocha in each of its processes (.mocharc.cjs). The error of a failed test or hook gets the last lines of the services that the test
// file has started. A root hook would come too late for failed hooks, and a reporter runs in another process than the tests.
type Runner = { fail(this: Runner, test: unknown, error: unknown, force?: boolean): void };
const runner = Mocha.Runner.prototype as unknown as Runner;
const { fail } = runner;
runner.fail = function (test, error, force): void {
  const lines = lastLines();
  if (lines !== '' && error instanceof Error) error.stack = `${error.stack}\n${lines}`;
  fail.call(this, test, error, force);
};

export const mochaHooks = { afterAll: forgetLogs };
