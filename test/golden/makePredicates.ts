/**
 * Writes test/golden/predicates.json: what each predicate gives for some windows.
 * Run after a deliberate change: `npx tsx test/golden/makePredicates.ts`, and read the difference.
 */
import { writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { goldenPredicates } from '../support/goldenPredicates.ts';

writeFileSync(path.join(import.meta.dirname, 'predicates.json'), `${JSON.stringify(goldenPredicates(), null, 2)}\n`);
