/**
 * `npm run pack [FOLDER]`: builds `dist`, then packs the file that users install. npm does not build, because `ignore-scripts` disables
 * `prepack`. Prints the path of the file.
 */
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';
import { pack, run } from './run.js';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
run(root, process.execPath, 'bin/build.js');
process.stdout.write(`${pack(root, path.resolve(process.argv[2] ?? root))}\n`);
