/* eslint-disable @typescript-eslint/no-require-imports */
// CommonJS: mocha loads reporters before tsx is in place.
const { writeFileSync } = require('node:fs');
const { default: Mocha } = require('mocha');

/** The dot reporter; where TEST_COUNTS_FILE is set it also writes `{passed, failed, skipped}` there, for `.ci/run`. */
module.exports = class CountingReporter extends Mocha.reporters.Dot {
  constructor(runner, options) {
    super(runner, options);
    const file = process.env.TEST_COUNTS_FILE;
    if (!file) return;
    runner.once('end', () => {
      const { passes, failures, pending } = this.stats;
      writeFileSync(file, JSON.stringify({ passed: passes, failed: failures, skipped: pending }));
    });
  }
};
