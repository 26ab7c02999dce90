/**
 * `node scripts/testReport.js FILE…`: adds up the reports that `scripts/test.js` wrote, and prints what ran, what failed, what was skipped and why,
 * and how long each part took. The last line is `N passed, N failed, N skipped`. Exit code 1 if anything failed, or if a part ran no test.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * @typedef {object} PartReport
 * @property {string} name
 * @property {number} passed
 * @property {number} failed
 * @property {number} skipped
 * @property {number} seconds
 * @property {string[]} failures title and stack of each failed test
 * @property {Record<string, number>} reasons how often each reason for a skip was printed
 */

/** @param {PartReport[]} parts */
export function writeReport(parts) {
  // Here once more: the output above is long, and its beginning may be cut off.
  for (const failure of parts.flatMap(({ failures }) => failures)) process.stdout.write(`failed: ${failure}\n\n`);
  const rows = parts.map(({ name, passed, failed, skipped, seconds }) => [name, passed, failed, skipped, Math.round(seconds)]);
  const width = Math.max(...rows.map(([name]) => name.length), 4);
  for (const [name, ...cells] of [['part', 'passed', 'failed', 'skipped', 'seconds'], ...rows])
    process.stdout.write(`${name.padEnd(width)}${cells.map((cell) => String(cell).padStart(9)).join('')}\n`);
  const reasons = parts.flatMap(({ name, reasons }) => Object.entries(reasons).map(([reason, count]) => `${name}: ${reason} (${count})`));
  for (const reason of reasons) process.stdout.write(`skipped: ${reason}\n`);
  const sum = (key) => parts.reduce((total, part) => total + part[key], 0);
  process.stdout.write(`${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped\n`);
  return sum('failed') === 0 && parts.length > 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const parts = process.argv.slice(2).flatMap((file) => JSON.parse(readFileSync(file, 'utf8')));
  if (!writeReport(parts)) process.exitCode = 1;
}
