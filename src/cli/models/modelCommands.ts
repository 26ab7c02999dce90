import { existsSync } from 'node:fs';
import * as path from 'node:path';
import { modelFolders, registryOf } from '../../service/app/openRegistry.ts';
import { readSettings, type Settings } from '../../core/config/settings.ts';
import type { ModelManifest } from '../../engine/model/ModelManifest.ts';
import { findVersion, loadCatalog, type LoadedCatalog } from '../../engine/model/loadCatalog.ts';
import { loadModelFolder } from '../../engine/model/loadModelFolder.ts';
import type { Change } from '../../engine/model/registry/RegistryState.ts';
import { promoteVersion, rollbackVersion } from '../../engine/model/registry/promoteVersion.ts';
import { shippedIdsOf } from '../../engine/model/registry/registryPaths.ts';
import { pruneOlder, pruneVersions } from '../../engine/model/registry/pruneVersions.ts';
import { verifyVersions } from '../../engine/model/registry/verifyVersions.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import { jsonLine, plain, type CliContext, type GlobalOptions } from '../CliContext.ts';

/** Lists the same versions as GET /models of a service with these settings, and the refused folders. */
export async function listModels(context: CliContext, { json }: GlobalOptions): Promise<void> {
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

export async function showModel(context: CliContext, id: string, { json }: GlobalOptions): Promise<void> {
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
export async function pushModel({ out }: CliContext, version: string, { json, keep }: GlobalOptions & { keep?: number }): Promise<void> {
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

export async function modelHistory({ out }: CliContext, { json }: GlobalOptions): Promise<void> {
  const { history, currentId, faults } = await registryOf(readSettings()).versions.state();
  if (json) return out(jsonLine({ default: currentId, history, faults }));
  const name = (id: string | null): string => id ?? 'the shipped default';
  const lines = history.map(({ at, by, id, previous }) => `${at}  ${by.padEnd(8)}  ${name(id)}  (before: ${name(previous)})`);
  out([...lines, ...faults.map((fault) => `! ${fault}`), `The default is ${name(currentId)}.`, ''].join('\n'));
}

export async function promoteModel(context: CliContext, id: string, { json, force }: GlobalOptions & { force?: boolean }): Promise<void> {
  const settings = readSettings();
  const change = await promoteVersion(registryOf(settings), id, { force: force ?? false });
  say(context, change, settings, json);
}

export async function rollbackModel(context: CliContext, { json }: GlobalOptions): Promise<void> {
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

export type PruneCommandOptions = GlobalOptions & { readonly keep: number; readonly yes?: boolean };

/** Without --yes, removes nothing and exits with code 1 if there is something to remove. */
export async function pruneModels({ out, fail }: CliContext, { json, keep, yes = false }: PruneCommandOptions): Promise<void> {
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
export async function verifyModels({ out, fail }: CliContext, { json }: GlobalOptions): Promise<void> {
  const verified = await verifyVersions(registryOf(readSettings()));
  const inOrder = verified.every(({ faults }) => faults.length === 0);
  if (!inOrder) fail();
  if (json) return out(jsonLine({ inOrder, checked: verified }));
  const lines = verified.flatMap(({ path, faults }) => (faults.length === 0 ? [`ok     ${path}`] : faults.map((fault) => `FAULT  ${path}: ${fault}`)));
  out([...lines, ''].join('\n'));
}
