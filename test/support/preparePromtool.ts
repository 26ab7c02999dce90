import { fetchPromtool } from './promtool.ts';

/** Fetches promtool for the tests of the alert rules: `node --import tsx test/support/preparePromtool.ts`. */
process.stdout.write(`${await fetchPromtool()}\n`);
