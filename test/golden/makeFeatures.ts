/**
 * Writes test/golden/features.json: the features of synthetic windows.
 * Run after a deliberate change: `npx tsx test/golden/makeFeatures.ts`, and read the difference.
 */
import { writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { goldenFeatures } from '../support/goldenFeatures.ts';

writeFileSync(path.join(import.meta.dirname, 'features.json'), `${JSON.stringify(goldenFeatures(), null, 1)}\n`);
