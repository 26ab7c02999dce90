/**
 * Writes test/golden/features.json (features of one synthetic window) and docs/reference/features.md (from the column table).
 * Run after a deliberate change: `node --import tsx test/golden/makeFeatures.ts`, and read the difference.
 */
import { writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { featuresPage } from '../support/featuresPage.ts';
import { goldenFeatures } from '../support/goldenFeatures.ts';

const root = path.resolve(import.meta.dirname, '../..');
writeFileSync(path.join(root, 'test/golden/features.json'), `${JSON.stringify(goldenFeatures(), null, 1)}\n`);
writeFileSync(path.join(root, 'docs/reference/features.md'), featuresPage());
