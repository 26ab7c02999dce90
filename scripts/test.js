/**
 * `npm test [-- PART…]`: types, lint and all tests that need nothing but Node.js; with names, only those parts of PARTS. The static checks run next to
 * the tests, the parts with tests one after the other. With TEST_REPORT_FILE, the report is also written there for `scripts/testReport.js`.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { writeReport } from './testReport.js';

/** npm scripts. A part counts as one test unless mocha counts (`counts`); `isStatic` parts run next to the others. */
const PARTS = {
  // With types: oxlint checks them with the compiler that its rules need anyway.
  lint: { script: 'lint', isStatic: true },
  tests: { script: 'test:mocha', counts: true },
  native: { script: 'test:native', counts: true },
  browser: { script: 'test:browser', counts: true },
  // The seed is the date: a failure can be replayed.
  chaos: { script: 'chaos', args: ['--seconds', '60', '--seed', new Date().toISOString().slice(0, 10).replaceAll('-', '')] },
};
const DEFAULT = ['lint', 'tests'];
/** What a test prints before it skips itself. */
const SKIPPED = /\bskipped: (.+)/g;

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => PARTS[name] === undefined);
if (unknown.length > 0) {
  process.stderr.write(`There is no part ${unknown.join(', ')}. The parts are ${Object.keys(PARTS).join(', ')}.\n`);
  process.exit(2);
}
const names = asked.length > 0 ? asked : DEFAULT;
const folder = mkdtempSync(path.join(tmpdir(), 'tickmark-test-'));

/** Runs one part. Static checks print at their end, so that their lines do not come between those of the tests. */
async function runPart(name) {
  const { script, args = [], counts = false, isStatic = false } = PARTS[name];
  const countsFile = path.join(folder, `${name}.json`);
  const startMs = performance.now();
  if (!isStatic) process.stdout.write(`\n== ${name}: npm run ${script} on Node.js ${process.version}\n`);
  const child = spawn('npm', ['run', '--silent', script, ...(args.length > 0 ? ['--', ...args] : [])], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, TEST_COUNTS_FILE: countsFile },
  });
  let output = '';
  const hear = (to) => (chunk) => {
    output += chunk;
    if (!isStatic) to.write(chunk);
  };
  child.stdout.setEncoding('utf8').on('data', hear(process.stdout));
  child.stderr.setEncoding('utf8').on('data', hear(process.stderr));
  const code = await new Promise((resolve) => child.on('close', resolve).on('error', resolve));
  const seconds = (performance.now() - startMs) / 1000;
  if (isStatic) process.stdout.write(`\n== ${name}: npm run ${script}: ${code === 0 ? 'ok' : `failed\n${output}`}\n`);
  return { name, seconds, ...(counts ? countsOf(countsFile, code) : outcomeOf(name, code)), reasons: reasonsIn(output) };
}

function outcomeOf(name, code) {
  const failures = code === 0 ? [] : [`npm run ${PARTS[name].script}`];
  return { passed: code === 0 ? 1 : 0, failed: failures.length, skipped: 0, failures };
}

/** What mocha counted. A run that broke off, failed outside of a test or ran no test at all is one failure more. */
function countsOf(file, code) {
  const counted = readCounts(file);
  if (counted.failed > 0 || (code === 0 && counted.passed > 0)) return counted;
  const why = counted.passed === 0 ? 'no test passed' : `the tests passed, but the run ended with exit code ${code}`;
  return { ...counted, failed: 1, failures: [why] };
}

function readCounts(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return { passed: 0, failed: 0, skipped: 0, failures: [] };
  }
}

function reasonsIn(output) {
  const reasons = {};
  for (const [, reason] of output.matchAll(SKIPPED)) reasons[reason.trim()] = (reasons[reason.trim()] ?? 0) + 1;
  return reasons;
}

async function runInOrder(chain) {
  const reports = [];
  for (const name of chain) reports.push(await runPart(name));
  return reports;
}

// Once, before the tests: the first start of a service builds `dist` too, and says so on standard error.
if (names.some((name) => !PARTS[name].isStatic)) spawnSync(process.execPath, ['bin/build.js'], { stdio: 'inherit' });
// Two files of tests that begin together would each build the server. Where it cannot be built, they say so.
if (names.includes('tests')) spawnSync(process.execPath, ['--import', 'tsx', 'test/support/prepareMongo.ts']);

const chains = [names.filter((name) => !PARTS[name].isStatic), names.filter((name) => PARTS[name].isStatic)];
const reports = (await Promise.all(chains.map(runInOrder))).flat();
rmSync(folder, { recursive: true, force: true });
if (process.env['TEST_REPORT_FILE']) writeFileSync(process.env['TEST_REPORT_FILE'], JSON.stringify(reports));
process.stdout.write('\n');
if (!writeReport(reports)) process.exitCode = 1;
