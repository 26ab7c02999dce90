import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import { tensorflowEnvironment } from '../src/core/config/settings.ts';
import { loadModelFolder } from '../src/engine/model/loadModelFolder.ts';
import { EXTRA_FILES } from '../src/engine/model/modelFiles.ts';
import type { SeenTicksJson } from '../src/engine/model/SeenTicks.ts';
import { saveModelFolder } from '../src/engine/model/saveModelFolder.ts';
import { openRuntime } from '../src/engine/runtime/openRuntime.ts';
import { readBarPlan } from './bars/barPlan.ts';
import { barTables } from './bars/barTables.ts';
import { type BarsRun, leftOutBars } from './bars/leftOutBars.ts';
import { markdownTable } from './metrics/formatComparison.ts';

const SECTION = '## Forecasts from bars';

/** Writes a version again with a bar model, and its tables in the card; all else stays. Throws ServiceError `model.refused` and `file.unwritable`. */
export async function addBars(folder: string, { model, leftOut }: BarsRun): Promise<void> {
  const { manifest, weights, golden, card, memory } = loadModelFolder(folder);
  const { userDefinedMetadata } = JSON.parse(readFileSync(path.join(folder, 'model.json'), 'utf8')) as {
    userDefinedMetadata?: { seenTicks?: SeenTicksJson };
  };
  const names = EXTRA_FILES.filter((name) => manifest.files[name] !== undefined);
  const extra = Object.fromEntries(names.map((name) => [name, readFileSync(path.join(folder, name), 'utf8')]));
  const tables = barTables(leftOut).flatMap(({ title, head, lines }) => [`**${title}**`, markdownTable([head, ...lines], true).join('\n')]);
  const section = [
    SECTION,
    'Heads of their own, without the network: a logistic of three variances and, with highs and lows, of the last true ranges; moves are divided by the profile of the clock that the memory of a series has learned. Each series is answered by heads that were fitted without its group, at the default threshold, at origins whose outcomes do not overlap; intervals are by day.',
    ...tables,
  ].join('\n\n');
  await saveModelFolder(
    path.dirname(folder),
    { manifest, weights, golden, card: withSection(card, section), extra, seen: userDefinedMetadata?.seenTicks, memory, bars: model },
    { replace: true },
  );
}

/** The card with the section before that of the data, in place of an earlier one. */
function withSection(card: string, section: string): string {
  const parts = card.split(/(?=^## )/m).filter((part) => !part.startsWith(SECTION));
  const at = parts.findIndex((part) => part.startsWith('## Data'));
  return [...parts.slice(0, at), `${section}\n\n`, ...parts.slice(at)].join('');
}

/** node --import tsx training/addBars.ts FOLDER PLAN.json */
if (import.meta.filename === process.argv[1]) {
  const [folder = '', plan = ''] = process.argv.slice(2);
  // Makes the tensors that are saved.
  await openRuntime('wasm', { environment: tensorflowEnvironment() });
  await addBars(path.resolve(folder), await leftOutBars(readBarPlan(plan), { log: (line) => process.stderr.write(`${line}\n`) }));
}
