import * as path from 'node:path';
import type { Command } from 'commander';
import { act, type CliContext, type GlobalOptions, jsonLine, plain } from '../CliContext.ts';
import { exampleText, wholeNumber } from '../parseOptions.ts';
import { existsSync } from 'node:fs';
import { modelFolders, registryOf } from '../../service/app/openRegistry.ts';
import { readSettings, type Settings } from '../../core/config/settings.ts';
import type { ModelManifest } from '../../engine/model/ModelManifest.ts';
import { findVersion, loadCatalog, type LoadedCatalog } from '../../engine/model/loadCatalog.ts';
import { loadModelFolder } from '../../engine/model/loadModelFolder.ts';
import type { Change } from '../../engine/model/registry/history.ts';
import { promoteVersion, rollbackVersion } from '../../engine/model/registry/promoteVersion.ts';
import { shippedIdsOf } from '../../engine/model/registry/registryPaths.ts';
import { pruneOlder, pruneVersions } from '../../engine/model/registry/pruneVersions.ts';
import { verifyVersions } from '../../engine/model/registry/verifyVersions.ts';
import { ServiceError } from '../../core/ServiceError.ts';

const HELP = `
Examples:
  $ tickmark models list                 every version with its gate result; * marks the default
  $ tickmark models show base-2025-01-01 its card: data, split, comparison with the baseline
  $ tickmark models push /srv/mine-1     checks /srv/mine-1 and copies it to MODELS_DIR
  $ tickmark models promote mine-1       makes mine-1 the default; a running service switches within seconds
  $ tickmark models rollback             makes the previous default the default again
  $ tickmark models history              every change of the default
  $ tickmark models verify               checks every file against its hash, every network against its golden results
  $ tickmark models prune --keep 3       what would be removed; --yes removes it
  $ MODEL=mine-1 tickmark serve          pins a version, regardless of promotions

Shipped versions are in models/, your own in MODELS_DIR (default: DATA_DIR/models), which several machines may share. More: docs/how-to/models.md.`;

const PUSH_HELP = `
Examples:
  $ tickmark models push /srv/trained/mine-1
  $ tickmark models push eurusd-2026-11-27 --keep 2     removes eurusd-2026-11-13 and older ones

Copies a version to MODELS_DIR; every service that reads this folder loads it within seconds. It is checked first, as a service does. The default does
not change. A version that is there is not changed. --keep counts versions whose ids differ
only in the day at their end; the default and the one before it always stay.`;

const HISTORY_HELP = `
Examples:
  $ tickmark models history
  $ tickmark models history --json`;

const PROMOTE_HELP = `
Examples:
  $ tickmark models promote mine-1
  $ tickmark models promote mine-1 --force       although it did not pass its promotion gate

Refuses a version that is broken or does not reproduce its golden results, one that did not pass its promotion gate (--force overrides this), and
always one that was trained on generated ticks. To try a version without promoting it, add ?model=<id> to a request.`;

const ROLLBACK_HELP = `
Examples:
  $ tickmark models rollback

Each promotion can be rolled back once. Before the first promotion, the shipped default is the default. If the previous version is missing or broken,
nothing changes.`;

const VERIFY_HELP = `
Examples:
  $ tickmark models verify
  $ tickmark models verify --json

Exit code 1 if a version, current.json or the history has a fault.`;

const PRUNE_HELP = `
Examples:
  $ tickmark models prune                lists what would be removed
  $ tickmark models prune --yes          removes it
  $ tickmark models prune --keep 0 --yes keeps only the default and the versions that it was tuned from

Shipped versions and folders without a complete version are not removed.`;

export function addModels(program: Command, context: CliContext): void {
  const models = program
    .command('models')
    .description('list, show, promote, verify and prune the model versions')
    .addHelpText('after', HELP);
  models
    .command('list', { isDefault: true })
    .description('list all versions, with their files checked against their hashes')
    .addHelpText('after', exampleText('models list', 'models list --json'))
    .action(act(context, listModels));
  models
    .command('show')
    .argument('<id>', 'id of a version')
    .description("show a version's card and what it was trained for")
    .addHelpText('after', exampleText('models show base-2026-11-27'))
    .action(act(context, showModel));
  models
    .command('push')
    .argument('<version>', 'id of a version in MODELS_DIR, or its folder')
    .description('add a version to the registry')
    .option('--keep <count>', 'how many versions of the same name stay, newest first (default: all)', wholeNumber(1, 100))
    .addHelpText('after', PUSH_HELP)
    .action(act(context, pushModel));
  models
    .command('promote')
    .argument('<id>', 'id of a version')
    .description('make a version the default')
    .option('--force', 'promote it although it did not pass its gate')
    .addHelpText('after', PROMOTE_HELP)
    .action(act(context, promoteModel));
  models
    .command('rollback')
    .description('roll back the last promotion')
    .addHelpText('after', ROLLBACK_HELP)
    .action(act(context, rollbackModel));
  models
    .command('history')
    .description('list every change of the default')
    .addHelpText('after', HISTORY_HELP)
    .action(act(context, modelHistory));
  models
    .command('verify')
    .description('check every version, current.json and the history')
    .addHelpText('after', VERIFY_HELP)
    .action(act(context, verifyModels));
  models
    .command('prune')
    .description('remove unused versions of your own')
    .option('--keep <count>', 'number of earlier defaults to keep', wholeNumber(0, 10_000), 3)
    .option('--yes', 'remove them; without it they are only listed')
    .addHelpText('after', PRUNE_HELP)
    .action(act(context, pruneModels));
}

/** Lists the same versions as GET /models of a service with these settings, and the refused folders. */
async function listModels(context: CliContext, { json }: GlobalOptions): Promise<void> {
  const { out } = context;
  const catalog = readCatalog();
  const refused = catalog.refused.map(({ folder, error }) => ({ folder, code: error.code, detail: error.message }));
  if (json) {
    const models = catalog.versions.map(({ manifest: { id, createdAt, synthetic, trained, gate, lineage } }) => ({
      id,
      default: id === catalog.defaultId,
      createdAt,
      synthetic,
      kind: lineage.kind,
      parent: lineage.parent,
      gate,
      trained,
    }));
    return out(jsonLine({ default: catalog.defaultId, models, refused }));
  }
  const lines = catalog.versions.map(({ manifest }) => `${manifest.id === catalog.defaultId ? '*' : ' '} ${line(manifest)}`);
  out([...lines, ...refused.map(({ detail }) => `! refused: ${plain(detail)}`), ''].join('\n'));
}

async function showModel(context: CliContext, id: string, { json }: GlobalOptions): Promise<void> {
  const { out } = context;
  const catalog = readCatalog();
  const { manifest, card } = findVersion(catalog, id);
  if (json) return out(jsonLine({ default: id === catalog.defaultId, ...manifest, card }));
  out(`${card.trimEnd()}\n\nGate: ${gateText(manifest)}. ${plain(manifest.gate.summary)}\n`);
}

function line(manifest: ModelManifest): string {
  const { id, createdAt, synthetic, lineage, trained } = manifest;
  const [from, to] = trained.horizonS;
  const kind = lineage.parent === null ? 'base' : `fine-tune of ${lineage.parent}`;
  return `${id}  ${kind}, ${gateText(manifest)}, made ${createdAt}, horizons ${from} to ${to} s${synthetic ? ', generated ticks only' : ''}`;
}

function gateText({ gate: { verdict, against } }: ModelManifest): string {
  if (verdict === 'not_judged') return 'not tested by a gate';
  return `${verdict === 'passed' ? 'passed' : 'NOT passed'} against ${plain(against ?? 'the volatility baseline')}`;
}

function readCatalog(): LoadedCatalog {
  const settings = readSettings();
  return loadCatalog(modelFolders(settings), settings.model);
}

/** `version`: the id of a version in MODELS_DIR, or its folder. `keep`: how many of its name stay, newest first. */
async function pushModel({ out }: CliContext, version: string, { json, keep }: GlobalOptions & { keep?: number }): Promise<void> {
  const settings = readSettings();
  const own = path.join(settings.modelsDir, version);
  const folder = path.resolve(!/[/\\]/.test(version) && existsSync(own) ? own : version);
  const loaded = loadModelFolder(folder);
  const { id } = loaded.manifest;
  const registry = registryOf(settings);
  const { versions, shippedDir, check } = registry;
  if (shippedIdsOf(shippedDir).includes(id))
    throw new ServiceError('model.refused', `${id} ships with tickmark: every machine has it. Give another version another id.`);
  await check(loaded);
  const pushed = await versions.push(folder);
  const pinned = settings.model === '' ? [] : [settings.model];
  const removed = keep === undefined ? [] : await pruneOlder(registry, id, { keep, pinned });
  if (json) return out(jsonLine({ id, pushed, place: versions.place, ...(keep === undefined ? {} : { removed }) }));
  for (const older of removed) out(`removed: ${older}\n`);
  const said = pushed ? `${id} is now in ${versions.place}` : `${id} is already in ${versions.place}, unchanged`;
  out(`${said}.\nMake it the default: tickmark models promote ${id}\n`);
}

async function modelHistory({ out }: CliContext, { json }: GlobalOptions): Promise<void> {
  const { history, currentId, faults } = registryOf(readSettings()).versions.state();
  if (json) return out(jsonLine({ default: currentId, history, faults }));
  const name = (id: string | null): string => id ?? 'the shipped default';
  const lines = history.map(({ at, by, id, previous }) => `${at}  ${by.padEnd(8)}  ${name(id)}  (before: ${name(previous)})`);
  out([...lines, ...faults.map((fault) => `! ${fault}`), `The default is ${name(currentId)}.`, ''].join('\n'));
}

async function promoteModel(context: CliContext, id: string, { json, force }: GlobalOptions & { force?: boolean }): Promise<void> {
  const settings = readSettings();
  const change = await promoteVersion(registryOf(settings), id, { force: force ?? false });
  say(context, change, settings, json);
}

async function rollbackModel(context: CliContext, { json }: GlobalOptions): Promise<void> {
  const settings = readSettings();
  say(context, await rollbackVersion(registryOf(settings)), settings, json);
}

function say({ out, err }: CliContext, change: Change, { model: pinned }: Pick<Settings, 'model'>, json: boolean | undefined): void {
  if (pinned !== '') err(`tickmark: MODEL=${pinned} is set; a service with this setting keeps serving that version.\n`);
  if (json) return out(jsonLine(change));
  const [id, previous] = [change.id, change.previous].map((version) => version ?? 'the shipped default');
  if (!change.changed) return out(`${id} is already the default.\n`);
  out(`${id} is the default; before: ${previous}. A running service switches within seconds.\nUndo: tickmark models rollback\n`);
}

type PruneCommandOptions = GlobalOptions & { readonly keep: number; readonly yes?: boolean };

/** Without --yes, removes nothing and exits with code 1 if there is something to remove. */
async function pruneModels({ out, fail }: CliContext, { json, keep, yes = false }: PruneCommandOptions): Promise<void> {
  const settings = readSettings();
  const pinned = settings.model === '' ? [] : [settings.model];
  const { removed, kept, leftAlone } = await pruneVersions(registryOf(settings), { keep, pinned, dryRun: !yes });
  if (!yes && removed.length > 0) fail();
  if (json) return out(jsonLine(yes ? { removed, kept, leftAlone } : { wouldRemove: removed, kept, leftAlone }));
  const lines = [
    ...removed.map((id) => `${yes ? 'removed' : 'would be removed'}: ${id}`),
    ...kept.map((id) => `kept: ${id}`),
    ...leftAlone.map((name) => `skipped, not a complete version: ${name}`),
    removed.length === 0 ? 'Nothing to remove.' : yes ? '' : 'Nothing was removed: add --yes to remove.',
  ];
  out(`${lines.filter((line) => line !== '').join('\n')}\n`);
}

/** Exit code 1 if there is any fault. */
async function verifyModels({ out, fail }: CliContext, { json }: GlobalOptions): Promise<void> {
  const verified = await verifyVersions(registryOf(readSettings()));
  const inOrder = verified.every(({ faults }) => faults.length === 0);
  if (!inOrder) fail();
  if (json) return out(jsonLine({ inOrder, checked: verified }));
  const lines = verified.flatMap(({ path, faults }) =>
    faults.length === 0 ? [`ok     ${path}`] : faults.map((fault) => `FAULT  ${path}: ${fault}`),
  );
  out([...lines, ''].join('\n'));
}
