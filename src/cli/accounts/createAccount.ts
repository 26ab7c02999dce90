import { randomBytes } from 'node:crypto';
import { OPERATOR, withAccounts } from '../../app/openAccounts.ts';
import { readSettings } from '../../config/settings.ts';
import { jsonLine, type CliContext, type GlobalOptions } from '../CliContext.ts';
import { plain } from './accountText.ts';
import { askPassword } from './askPassword.ts';

export type CreateOptions = { readonly company?: string; readonly generatePassword?: boolean };

/** 144 bits, encoded as 24 characters that need no shell quoting. */
const GENERATED_BYTES = 18;

export async function createAccount(
  { out }: CliContext,
  email: string,
  { json, company, generatePassword = false }: GlobalOptions & CreateOptions,
): Promise<void> {
  const settings = readSettings();
  const password = generatePassword ? randomBytes(GENERATED_BYTES).toString('base64url') : await askPassword();
  await withAccounts(settings, async ({ accounts }) => {
    const request = { email, password, ...(company === undefined ? {} : { companyId: company }) };
    const { accountId, apiKey } = await accounts.signUp(request, OPERATOR);
    const generated = generatePassword ? { password } : {};
    if (json === true) return out(jsonLine({ id: accountId, email, apiKey, ...generated }));
    out(
      [
        `${plain(email)} has an account: ${accountId}.`,
        `API key, shown only now:  ${apiKey}`,
        ...(generatePassword ? [`Password, shown only now: ${password}`] : []),
        '',
      ].join('\n'),
    );
  });
}
