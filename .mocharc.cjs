// CommonJS: mocha reads this file before it loads tsx.
const { availableParallelism } = require('node:os');

module.exports = {
  'node-option': ['import=tsx'],
  // Each file runs in one of these processes, with its own ports and folders. `--no-parallel` for a debugger. `.ci/run` sets TEST_JOBS.
  parallel: true,
  jobs: Number(process.env.TEST_JOBS ?? Math.min(4, Math.max(2, availableParallelism()))),
  timeout: 300_000,
  // The last lines of a service's log in the failure of a test; the end of what several files use.
  require: ['test/support/showServiceLogs.ts', 'test/support/atEnd.ts'],
  reporter: 'test/support/countingReporter.cjs',
};
