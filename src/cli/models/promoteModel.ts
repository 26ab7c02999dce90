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
  if (pinned !== '') err(`tickmark: MODEL=${pinned} is set here; a service with that setting goes on answering with it.\n`);
  if (json) return out(jsonLine(change));
  const [id, previous] = [change.id, change.previous].map((version) => version ?? 'the default that ships');
  if (!change.changed) return out(`${id} answers by default already.\n`);
  out(`${id} answers by default; before: ${previous}. A running service follows within seconds.\nTake it back: tickmark models rollback\n`);
}
