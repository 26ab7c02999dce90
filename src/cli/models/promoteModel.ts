import { readSettings } from '../../config/settings.ts';
import type { Change } from '../../model/registry/changeCurrent.ts';
import { promoteVersion } from '../../model/registry/promoteVersion.ts';
import { rollbackVersion } from '../../model/registry/rollbackVersion.ts';
import { jsonLine, type CliContext, type GlobalOptions } from '../CliContext.ts';

export async function promoteModel(context: CliContext, id: string, { json, force }: GlobalOptions & { force?: boolean }): Promise<void> {
  // Imported late, so that --help does not load the network.
  const { openRegistry } = await import('../../app/openRegistry.ts');
  const settings = readSettings();
  say(context, await promoteVersion(openRegistry(settings), id, { force: force ?? false }), settings.model, json);
}

export async function rollbackModel(context: CliContext, { json }: GlobalOptions): Promise<void> {
  const { openRegistry } = await import('../../app/openRegistry.ts');
  const settings = readSettings();
  say(context, await rollbackVersion(openRegistry(settings)), settings.model, json);
}

function say({ out, err }: CliContext, change: Change, pinned: string, json: boolean | undefined): void {
  if (pinned !== '') err(`tickmark: MODEL=${pinned} is set; a service with this setting keeps serving that version.\n`);
  if (json) return out(jsonLine(change));
  const [id, previous] = [change.id, change.previous].map((version) => version ?? 'the shipped default');
  if (!change.changed) return out(`${id} is already the default.\n`);
  out(`${id} is the default; before: ${previous}. A running service switches within seconds.\nUndo: tickmark models rollback\n`);
}
