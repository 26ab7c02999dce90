import { modelFolders } from '../../app/modelFolders.ts';
import { readSettings } from '../../config/settings.ts';
import { findVersion, loadCatalog, type LoadedCatalog } from '../../model/loadCatalog.ts';
import type { ModelManifest } from '../../model/ModelManifest.ts';
import { jsonLine, type CliContext, type GlobalOptions } from '../CliContext.ts';

/** Lists the same versions as GET /models of a service with these settings, and the refused folders. */
export function listModels({ out }: CliContext, { json }: GlobalOptions): void {
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
  out([...lines, ...refused.map(({ detail }) => `! refused: ${detail}`), ''].join('\n'));
}

export function showModel({ out }: CliContext, id: string, { json }: GlobalOptions): void {
  const catalog = readCatalog();
  const { manifest, card } = findVersion(catalog, id);
  if (json) return out(jsonLine({ default: id === catalog.defaultId, ...manifest, card }));
  out(`${card.trimEnd()}\n\nGate: ${gateText(manifest)}. ${manifest.gate.summary}\n`);
}

function line(manifest: ModelManifest): string {
  const { id, createdAt, synthetic, lineage, trained } = manifest;
  const [from, to] = trained.horizonS;
  const kind = lineage.parent === null ? 'base' : `fine-tune of ${lineage.parent}`;
  return `${id}  ${kind}, ${gateText(manifest)}, made ${createdAt}, horizons ${from} to ${to} s${synthetic ? ', generated ticks only' : ''}`;
}

function gateText({ gate: { verdict, against } }: ModelManifest): string {
  if (verdict === 'not_judged') return 'not judged by a gate';
  return `${verdict === 'passed' ? 'passed' : 'NOT passed'} against ${against ?? 'the volatility baseline'}`;
}

function readCatalog(): LoadedCatalog {
  const settings = readSettings();
  return loadCatalog(modelFolders(settings), settings.model);
}
