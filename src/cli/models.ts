import type { Command } from 'commander';
import { modelFolders } from '../app/modelFolders.ts';
import { readSettings } from '../config/settings.ts';
import { ServiceError, shown } from '../core/ServiceError.ts';
import { loadCatalog, type LoadedCatalog } from '../model/loadCatalog.ts';
import { jsonLine, type CliContext, type GlobalOptions } from './CliContext.ts';

const HELP = `
Examples:
  $ tickmark models list                 every version with its verdict; * answers by default
  $ tickmark models show base-2025-01-01 its card: data, split, table against the baseline
  $ MODEL=mine-1 tickmark serve          another version answers by default

Versions that ship are in models/, your own in MODELS_DIR (default DATA_DIR/models).`;

export function addModels(program: Command, context: CliContext): void {
  const models = program.command('models').description('list the model versions, or show one').addHelpText('after', HELP);
  models
    .command('list', { isDefault: true })
    .description('every version, its files checked against their hashes')
    .action((_options: unknown, command: Command) => listModels(context, command.optsWithGlobals<GlobalOptions>()));
  models
    .command('show')
    .argument('<id>', 'id of a version')
    .description("a version's card and what it was trained for")
    .action((id: string, _options: unknown, command: Command) => showModel(context, id, command.optsWithGlobals<GlobalOptions>()));
}

function listModels({ out }: CliContext, { json }: GlobalOptions): void {
  const catalog = readCatalog();
  const refused = catalog.refused.map(({ folder, error }) => ({ folder, code: error.code, detail: error.message }));
  if (json) {
    const models = catalog.versions.map(({ manifest: { id, createdAt, synthetic, trained } }) => ({ id, createdAt, synthetic, trained }));
    return out(jsonLine({ default: catalog.defaultId, models, refused }));
  }
  const lines = catalog.versions.map(({ manifest }) => {
    const [from, to] = manifest.trained.horizonS;
    const mark = manifest.id === catalog.defaultId ? '*' : ' ';
    return `${mark} ${manifest.id}  made ${manifest.createdAt}, horizons ${from} to ${to} s${manifest.synthetic ? ', generated ticks only' : ''}`;
  });
  out([...lines, ...refused.map(({ detail }) => `! refused: ${detail}`), ''].join('\n'));
}

function showModel({ out }: CliContext, id: string, { json }: GlobalOptions): void {
  const { versions, defaultId } = readCatalog();
  const found = versions.find(({ manifest }) => manifest.id === id);
  if (found === undefined) {
    const known = versions.map(({ manifest }) => manifest.id).join(', ');
    throw new ServiceError('model.unknown', `No model ${shown(id)}; there are ${known}.`);
  }
  if (json) return out(jsonLine({ default: id === defaultId, ...found.manifest, card: found.card }));
  out(`${found.card.trimEnd()}\n`);
}

function readCatalog(): LoadedCatalog {
  const settings = readSettings();
  return loadCatalog(modelFolders(settings), settings.model);
}
