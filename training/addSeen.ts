import * as path from 'node:path';
import { readTickFile } from '../src/ticks/import/streamTickFile.ts';
import { loadModelFolder } from '../src/engine/model/loadModelFolder.ts';
import { MODEL_FILES } from '../src/engine/model/modelFiles.ts';
import { addVersionFile } from '../src/engine/model/saveModelFolder.ts';
import { SeenTicksWriter } from './data/SeenTicksWriter.ts';

/** node --import tsx training/addSeen.ts FOLDER FILE…: adds `seen.json` to a version from before it, from the files that it was trained on. */
const [folder = '', ...files] = process.argv.slice(2);
const { manifest } = loadModelFolder(folder);
const missing = new Map(manifest.lineage.data.map((span) => [span.fileSha256, span]));
const writer = new SeenTicksWriter();
for (const file of files) {
  const { sha256, series } = await readTickFile(file);
  const span = missing.get(sha256);
  process.stdout.write(`${path.basename(file)}: ${span === undefined ? 'not used in training' : span.name}\n`);
  if (span !== undefined) writer.add(series, span);
  missing.delete(sha256);
}
addVersionFile(folder, MODEL_FILES.seen, writer.text());
loadModelFolder(folder);
for (const { name } of missing.values()) process.stdout.write(`${name}: no file\n`);
