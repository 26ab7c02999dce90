/* eslint-disable @typescript-eslint/no-require-imports */
// CommonJS: mocha loads reporters before tsx is in place.
const { writeFileSync } = require('node:fs');
const { default: Mocha } = require('mocha');

const SHOWN = 15;

/**
 * The dot reporter; where TEST_COUNTS_FILE is set, for `.ci/run`, it also writes `{passed, failed, skipped}` there and prints the slowest
 * tests: the suite has to stay within minutes.
 */
module.exports = class CountingReporter extends Mocha.reporters.Dot {
  constructor(runner, options) {
    super(runner, options);
    const file = process.env.TEST_COUNTS_FILE;
    if (!file) return;
    const tests = [];
    runner.on('test end', (test) => tests.push(test));
    runner.once('end', () => {
      const { passes, failures, pending } = this.stats;
      writeFileSync(file, JSON.stringify({ passed: passes, failed: failures, skipped: pending }));
      const slowest = tests.filter(({ duration }) => duration > 1000).sort((a, b) => b.duration - a.duration);
      for (const test of slowest.slice(0, SHOWN)) process.stdout.write(`${(test.duration / 1000).toFixed(1)} s  ${test.fullTitle()}\n`);
    });
  }
};
