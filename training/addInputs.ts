import { existsSync } from 'node:fs';
import * as path from 'node:path';
import { ServiceError } from '../src/core/ServiceError.ts';
import { addVersionFile } from '../src/engine/model/saveModelFolder.ts';
import type { TrainedSpan } from '../src/engine/model/Lineage.ts';
import { loadModelFolder } from '../src/engine/model/loadModelFolder.ts';
import { MODEL_FILES } from '../src/engine/model/modelFiles.ts';
import { inputsText } from './evaluation/describeRun.ts';
import { makeRows, ownSpans, planRun } from './planRun.ts';
import type { TrainEvent, TrainOptions } from './TrainOptions.ts';

export type AddedInputs = { readonly id: string; readonly file: string; readonly trainRows: number };

/**
 * Adds the statistics of its training rows to an older version: recomputes the rows with the options that trained it, and trains nothing.
 * Throws ServiceError `model.refused`, `file.*`, and `command.invalid` if the version has them already or was trained on other ticks.
 */
export async function addInputs(options: TrainOptions, onEvent: (event: TrainEvent) => void): Promise<AddedInputs> {
  const { id, out, mode, seed, replace } = options;
  const folder = path.join(out, id);
  if (!existsSync(folder))
    throw new ServiceError(
      'command.invalid',
      `There is no version ${id} in ${out}. Name the version with --name and its folder with --out.`,
    );
  const { manifest, inputs } = loadModelFolder(folder);
  if (inputs !== undefined && !replace)
    throw new ServiceError('command.invalid', `${id} already has ${MODEL_FILES.inputs}. Use --replace to write it again.`);
  const plan = await planRun(options, onEvent);
  const { kind, seed: trainedSeed, data } = manifest.lineage;
  const isSame =
    kind === mode && trainedSeed === seed && spansText(ownSpans(options, plan)) === spansText(data.filter(({ by }) => by === id));
  if (!isSame)
    throw new ServiceError(
      'command.invalid',
      `${id} was not trained on these ticks with these options. Use --data, --group and the other options of the command on its card.`,
    );
  const { rows } = await makeRows('training', plan, options, onEvent);
  addVersionFile(folder, MODEL_FILES.inputs, inputsText(rows));
  // Parsed as the service will parse it.
  loadModelFolder(folder);
  return { id, file: path.join(folder, MODEL_FILES.inputs), trainRows: rows.count };
}

const spansText = (spans: readonly TrainedSpan[]): string =>
  JSON.stringify(spans.map(({ name, group, fileSha256, fromUs, toUs }) => [name, group, fileSha256, fromUs, toUs]));
