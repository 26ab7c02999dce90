import * as path from 'node:path';
import { tensorflowEnvironment } from '../src/core/config/settings.ts';
import { openRuntime } from '../src/engine/runtime/openRuntime.ts';
import { addSection } from './addSection.ts';
import { readBarPlan } from './bars/barPlan.ts';
import { barTables } from './bars/barTables.ts';
import { type BarsRun, leftOutBars } from './bars/leftOutBars.ts';
import { markdownTable } from './metrics/formatComparison.ts';

const SECTION = '## Forecasts from bars';

/** Writes a version again with a bar model, and its tables in the card; all else stays. Throws ServiceError `model.refused` and `file.unwritable`. */
export async function addBars(folder: string, { model, leftOut }: BarsRun): Promise<void> {
  const tables = barTables(leftOut, model.heads).flatMap(({ title, head, lines }) => [
    `**${title}**`,
    markdownTable([head, ...lines], true).join('\n'),
  ]);
  const section = [
    SECTION,
    'Heads of their own, without the network: a logistic of three variances and, with highs and lows, of the last true ranges; moves are divided by the profile of the clock that the memory of a series has learned. Each series is answered by heads that were fitted without its group, at the default threshold, at origins whose outcomes do not overlap; intervals are by day.',
    ...tables,
  ].join('\n\n');
  await addSection(folder, section, model);
}

/** node --import tsx training/addBars.ts FOLDER PLAN.json */
if (import.meta.filename === process.argv[1]) {
  const [folder = '', plan = ''] = process.argv.slice(2);
  // Makes the tensors that are saved.
  await openRuntime('wasm', { environment: tensorflowEnvironment() });
  await addBars(path.resolve(folder), await leftOutBars(readBarPlan(plan), (line) => process.stderr.write(`${line}\n`)));
}
