import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import { loadModelFolder } from '../src/engine/model/loadModelFolder.ts';
import { EXTRA_FILES } from '../src/engine/model/modelFiles.ts';
import { saveModelFolder } from '../src/engine/model/saveModelFolder.ts';
import { readTickFile } from '../src/ticks/import/streamTickFile.ts';
import { SeenTicksWriter } from './data/SeenTicksWriter.ts';

/** The names of the training series: those whose file is among the given ones, and the others, and the given files that are none of them. */
export type AddedSeen = { readonly used: readonly string[]; readonly missing: readonly string[]; readonly unknown: readonly string[] };

/**
 * Writes a version again with the sample of those of its training ticks that are in `files`; all else stays. Throws ServiceError
 * `model.refused`, `file.*`, and `file.unwritable`, after which the version is as before.
 */
export async function addSeen(folder: string, files: readonly string[]): Promise<AddedSeen> {
  const { manifest, weights, golden, card, memory, bars } = loadModelFolder(folder);
  const { data } = manifest.lineage;
  const given = new Set<string>();
  const unknown: string[] = [];
  const writer = new SeenTicksWriter();
  for (const file of files) {
    const { sha256, series } = await readTickFile(file);
    // The version and an ancestor may have used different parts of one file.
    const spans = data.filter(({ fileSha256 }) => fileSha256 === sha256);
    for (const span of spans) writer.add(series, span);
    if (spans.length === 0) unknown.push(path.basename(file));
    given.add(sha256);
  }
  const namesOf = (isGiven: boolean): string[] =>
    data.filter(({ fileSha256 }) => given.has(fileSha256) === isGiven).map(({ name }) => name);
  const names = EXTRA_FILES.filter((name) => manifest.files[name] !== undefined);
  const extra = Object.fromEntries(names.map((name) => [name, readFileSync(path.join(folder, name), 'utf8')]));
  const version = { manifest, weights, golden, card, extra, seen: writer.json(), memory, bars };
  await saveModelFolder(path.dirname(folder), version, { replace: true });
  return { used: namesOf(true), missing: namesOf(false), unknown };
}

/** node --import tsx training/addSeen.ts FOLDER FILE… */
if (import.meta.filename === process.argv[1]) {
  const [folder = '', ...files] = process.argv.slice(2);
  const { used, missing, unknown } = await addSeen(path.resolve(folder), files);
  for (const [what, names] of Object.entries({ used, 'no file given': missing, 'not used in training': unknown }))
    process.stdout.write(`${what}: ${names.join(', ') || 'none'}\n`);
}
