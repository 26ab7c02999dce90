import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import { tensorflowEnvironment } from '../src/core/config/settings.ts';
import { ServiceError } from '../src/core/ServiceError.ts';
import type { BarModel } from '../src/engine/model/BarModel.ts';
import { loadModelFolder } from '../src/engine/model/loadModelFolder.ts';
import { EXTRA_FILES } from '../src/engine/model/modelFiles.ts';
import type { SeenTicksJson } from '../src/engine/model/SeenTicks.ts';
import { saveModelFolder } from '../src/engine/model/saveModelFolder.ts';
import { openRuntime } from '../src/engine/runtime/openRuntime.ts';

const HEADING = /^## .+$/m;

/**
 * Writes a version again with a section in its card, in place of one with the same heading or before that of the data; all else stays but `bars`, if given.
 * Throws ServiceError `model.refused`, `file.unwritable`, and `command.invalid` for a section that does not begin with a heading.
 */
export async function addSection(folder: string, section: string, bars?: BarModel): Promise<void> {
  const { manifest, weights, golden, card, memory, bars: kept } = loadModelFolder(folder);
  const { userDefinedMetadata } = JSON.parse(readFileSync(path.join(folder, 'model.json'), 'utf8')) as {
    userDefinedMetadata?: { seenTicks?: SeenTicksJson };
  };
  const names = EXTRA_FILES.filter((name) => manifest.files[name] !== undefined);
  const extra = Object.fromEntries(names.map((name) => [name, readFileSync(path.join(folder, name), 'utf8')]));
  await saveModelFolder(
    path.dirname(folder),
    {
      manifest,
      weights,
      golden,
      card: withSection(card, section),
      extra,
      seen: userDefinedMetadata?.seenTicks,
      memory,
      bars: bars ?? kept,
    },
    { replace: true },
  );
}

function withSection(card: string, section: string): string {
  const heading = HEADING.exec(section);
  if (heading?.index !== 0) throw new ServiceError('command.invalid', 'A section of a card begins with a heading: ## and its text.');
  const parts = card.split(/(?=^## )/m);
  const old = parts.findIndex((part) => HEADING.exec(part)?.[0] === heading[0]);
  const at = old < 0 ? parts.findIndex((part) => part.startsWith('## Data')) : old;
  return [...parts.slice(0, at), `${section.trim()}\n\n`, ...parts.slice(old < 0 ? at : at + 1)].join('');
}

/** node --import tsx training/addSection.ts FOLDER SECTION.md */
if (import.meta.filename === process.argv[1]) {
  const [folder = '', section = ''] = process.argv.slice(2);
  // Makes the tensors that are saved.
  await openRuntime('wasm', { environment: tensorflowEnvironment() });
  await addSection(path.resolve(folder), readFileSync(section, 'utf8'));
}
