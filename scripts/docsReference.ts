/** `npm run docs:reference`: writes the generated parts of the pages, and the picture of the folders, from the tables in the source. */
import { writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { ROOT } from '../test/support/tickmarkProcess.ts';
import { generatedFiles } from './reference/generatedFiles.ts';

for (const { file, text } of generatedFiles()) writeFileSync(path.join(ROOT, file), text);
