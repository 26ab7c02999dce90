// CommonJS, because mocha loads reporters before tsx.
const { writeFileSync } = require('node:fs');
const path = require('node:path');
const { default: Mocha } = require('mocha');

const SHOWN = 15;
/** A longer test or hook is named while it runs: if the suite is killed, the last name is the one that hung. */
const LONG_MS = 60_000;
/** Time after the last test until open resources are reported. Processes that tests end take up to 10 s. */
const OPEN_MS = 20_000;

/**
 * The dot reporter. If TEST_COUNTS_FILE is set (by `.ci/run`), it also writes `{passed, failed, skipped, failures}` there and prints the slowest
 * tests and files, because the suite must stay within minutes. A suite that does not exit by itself reports open resources and exits.
 */
module.exports = class CountingReporter extends Mocha.reporters.Dot {
  constructor(runner, options) {
    super(runner, options);
    nameWhatLasts(runner);
    runner.once('end', endThoughOpen);
    const file = process.env.TEST_COUNTS_FILE;
    if (!file) return;
    const tests = [];
    const failures = [];
    runner.on('test end', (test) => tests.push(test));
    runner.on('fail', (test, error) => failures.push(`${test.fullTitle()}: ${error?.stack ?? error}`));
    runner.once('end', () => {
      const { passes, pending } = this.stats;
      writeFileSync(file, JSON.stringify({ passed: passes, failed: this.stats.failures, skipped: pending, failures }));
      const slowest = tests.filter(({ duration }) => duration > 1000).sort((a, b) => b.duration - a.duration);
      for (const test of slowest.slice(0, SHOWN)) process.stdout.write(`${(test.duration / 1000).toFixed(1)} s  ${test.fullTitle()}\n`);
      const files = Object.entries(secondsByFile(tests)).sort(([, a], [, b]) => b - a);
      const shown = files.slice(0, SHOWN).map(([file, seconds]) => `${file} ${seconds.toFixed(0)}`);
      process.stdout.write(`Seconds of the slowest files: ${shown.join(', ')}\n`);
    });
  }
};

function secondsByFile(tests) {
  const seconds = {};
  for (const { file, duration } of tests) {
    const name = path.relative('test', file ?? '');
    seconds[name] = (seconds[name] ?? 0) + (duration ?? 0) / 1000;
  }
  return seconds;
}

function nameWhatLasts(runner) {
  let running = '';
  let since = Date.now();
  const begins = (it) => {
    running = it.fullTitle();
    since = Date.now();
  };
  runner.on('hook', begins).on('test', begins);
  const watch = setInterval(() => {
    const seconds = Math.round((Date.now() - since) / 1000);
    if (seconds * 1000 >= LONG_MS) process.stdout.write(`\n${seconds} s so far: ${running}\n`);
  }, LONG_MS / 2);
  watch.unref();
  runner.once('end', () => clearInterval(watch));
}

/** The timer is unreferenced: it fires only if something else keeps the process alive. */
function endThoughOpen() {
  const { failures } = this;
  const report = () => {
    process.stderr.write(`${OPEN_MS / 1000} s after the last test still open: ${process.getActiveResourcesInfo().join(', ')}\n`);
    process.exit(Math.min(failures, 255));
  };
  setTimeout(report, OPEN_MS).unref();
}
