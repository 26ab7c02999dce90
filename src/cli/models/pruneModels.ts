import { readSettings } from '../../config/settings.ts';
import { pruneVersions } from '../../model/registry/pruneVersions.ts';
import { jsonLine, type CliContext, type GlobalOptions } from '../CliContext.ts';

export type PruneCommandOptions = GlobalOptions & { readonly keep: number; readonly yes?: boolean };

/** Without --yes, removes nothing and exits with code 1 if there is something to remove. */
export async function pruneModels({ out, fail }: CliContext, { json, keep, yes = false }: PruneCommandOptions): Promise<void> {
  const { openRegistry } = await import('../../app/openRegistry.ts');
  const settings = readSettings();
  const pinned = settings.model === '' ? [] : [settings.model];
  const { removed, kept, leftAlone } = await pruneVersions(openRegistry(settings), { keep, pinned, dryRun: !yes });
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
