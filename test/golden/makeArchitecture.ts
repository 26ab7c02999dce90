/** `npx tsx test/golden/makeArchitecture.ts` draws docs/pictures/architecture.svg from layers.json, and writes the imports of docs/explanation/architecture.md. */
import { readFileSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { architectureSvg, withImports } from '../support/architecturePage.ts';
import { readFolders } from '../support/layerGraph.ts';
import { ROOT } from '../support/tickmarkProcess.ts';

const folders = readFolders();
const page = path.join(ROOT, 'docs', 'explanation', 'architecture.md');
writeFileSync(path.join(ROOT, 'docs', 'pictures', 'architecture.svg'), architectureSvg(folders));
writeFileSync(page, withImports(readFileSync(page, 'utf8'), folders).text);
