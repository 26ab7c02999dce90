// Writes the samples of docs/files.md again: npx tsx test/golden/makeFilesPage.ts
import { readFileSync, writeFileSync } from 'node:fs';
import { withSamples } from '../support/filesPage.ts';

const PAGE = 'docs/files.md';
writeFileSync(PAGE, withSamples(readFileSync(PAGE, 'utf8')).text);
