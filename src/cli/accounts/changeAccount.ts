import { OPERATOR, withAccounts } from '../../app/openAccounts.ts';
import { readSettings } from '../../config/settings.ts';
import { plural } from '../../core/plural.ts';
import { jsonLine, type CliContext, type GlobalOptions } from '../CliContext.ts';
import { plain } from './accountText.ts';

/** A deletion without --yes is refused with exit code 1. */
export async function changeAccount(
  { out, fail }: CliContext,
  action: 'disable' | 'enable' | 'delete',
  emailOrId: string,
  { json, yes = false }: GlobalOptions & { readonly yes?: boolean },
): Promise<void> {
  await withAccounts(readSettings(), async ({ accounts, find }) => {
    const { id, email, keys } = await find(emailOrId);
    const isDone = action !== 'delete' || yes;
    if (isDone) await accounts[action](id, OPERATOR);
    else fail();
    if (json === true) return out(jsonLine({ id, email, action, done: isDone }));
    if (isDone) out(`${plain(email)} is ${action}d.\n`);
    else out(`${plain(email)} and its ${plural(keys.length, 'key')} would be deleted. Nothing was deleted: add --yes to delete.\n`);
  });
}
