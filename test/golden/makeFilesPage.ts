// Writes the samples of docs/reference/files.md again: npx tsx test/golden/makeFilesPage.ts
import { readFileSync, writeFileSync } from 'node:fs';
import { withSamples } from '../support/filesPage.ts';

const PAGE = 'docs/reference/files.md';
writeFileSync(PAGE, withSamples(readFileSync(PAGE, 'utf8')).text);
